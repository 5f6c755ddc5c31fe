import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type DeviceKeyJwk, deviceKeyId } from '@permitry/protocol';
import { factsText, type KeyFile } from './key-files.ts';
import { lockKey, unlockKey } from './locked-key.ts';

/** A new key pair on P-256, its private half locked with the passphrase. */
export async function makeKey(
  passphrase: string,
  { gate, name }: { gate: string; name: string },
): Promise<KeyFile> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const jwk: DeviceKeyJwk = { kty: 'EC', crv: 'P-256', x: String(x), y: String(y) };
  const facts = {
    version: 1 as const,
    gate,
    name,
    key_id: deviceKeyId(jwk),
    public_key: jwk,
    created_at: new Date().toISOString(),
  };
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const locked = await lockKey(secret, passphrase, factsText(facts));
  return { ...facts, email: null, ...locked };
}

/** Undefined for a wrong passphrase, and for a file that was changed. */
export async function openKey(file: KeyFile, passphrase: string): Promise<KeyObject | undefined> {
  const secret = await unlockKey(file, passphrase, factsText(file));
  return secret && createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
}
