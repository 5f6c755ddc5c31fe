/** A device key that the attacker made: its public part, and its signatures. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type DeviceKeyJwk, deviceKeyId, deviceProofInput } from '@permitry/protocol';

export interface MadeDeviceKey {
  jwk: DeviceKeyJwk;
  prove(challenge: string): string;
}

export function makeDeviceKey(): MadeDeviceKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const jwk: DeviceKeyJwk = { kty: 'EC', crv: 'P-256', x: String(x), y: String(y) };
  return { jwk, prove: (challenge) => signProof(jwk, privateKey, challenge) };
}

function signProof(jwk: DeviceKeyJwk, key: KeyObject, challenge: string): string {
  const input = deviceProofInput(deviceKeyId(jwk), challenge);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}
