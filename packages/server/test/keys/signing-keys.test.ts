import { webcrypto } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicJwk } from '@permitry/protocol';
import { calculateJwkThumbprint, compactVerify, createLocalJWKSet } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeyFolder } from '../../src/keys/key-folder.ts';
import { openSigningKeys, type SigningKeys } from '../../src/keys/signing-keys.ts';
import { systemClock } from '../../src/runtime/clock.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

function openSigner(): Promise<SigningKeys> {
  return openSigningKeys({ store: new KeyFolder(dataDir), clock: systemClock });
}

/** Rotates without waiting for verifiers to learn of the next key. */
function rotate(signer: SigningKeys): Promise<string> {
  return signer.rotate('operator', { early: true });
}

const HALF = 43;
const ZERO = Buffer.alloc(32);
/** The order n of P-256. */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

function signingInput(kid: string, payload: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'ES256', typ: 'permit+jwt', kid })}.${encode(payload)}`;
}

async function signJws(signer: SigningKeys, payload: object): Promise<string> {
  const { kid } = signer.current;
  const input = signingInput(kid, payload);
  return `${input}.${await signer.sign(kid, input)}`;
}

function jwks(keys: readonly PublicJwk[]) {
  return createLocalJWKSet({ keys: keys.map((key) => ({ ...key })) });
}

function keyPath(kid: string): string {
  return join(dataDir, 'keys', `${kid}.json`);
}

function storedKey(kid: string): Record<string, unknown> {
  return JSON.parse(readFileSync(keyPath(kid), 'utf8'));
}

describe('signatures', () => {
  test('are verified by jose with the published keys', async () => {
    const signer = await openSigner();
    for (let n = 0; n < 50; n += 1) {
      const { payload } = await compactVerify(await signJws(signer, { n }), jwks(signer.publicKeys()));
      expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ n });
    }
  });

  test('are verified by WebCrypto, and the signer verifies those of WebCrypto', async () => {
    const signer = await openSigner();
    const { kid } = signer.current;
    const { kty, crv, x, y, d } = storedKey(kid) as Record<string, string>;
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const importKey = (jwk: object, use: 'sign' | 'verify') =>
      webcrypto.subtle.importKey('jwk', jwk, algorithm, false, [use]);
    const publicKey = await importKey({ kty, crv, x, y }, 'verify');
    const privateKey = await importKey({ kty, crv, x, y, d }, 'sign');
    const how = { name: 'ECDSA', hash: 'SHA-256' };
    // Enough signatures to include some in which r or s begins with zero bytes, which gives DER odd lengths.
    for (let n = 0; n < 600; n += 1) {
      const input = signingInput(kid, { n });
      const bytes = Buffer.from(input);
      const ours = Buffer.from(await signer.sign(kid, input), 'base64url');
      expect(ours.length).toBe(64);
      expect(await webcrypto.subtle.verify(how, publicKey, ours, bytes)).toBe(true);
      const theirs = Buffer.from(await webcrypto.subtle.sign(how, privateKey, bytes)).toString('base64url');
      expect(await signer.verify(kid, input, theirs)).toBe(true);
    }
  });

  test('do not verify with another text, another key or an unknown key', async () => {
    const signer = await openSigner();
    const { kid } = signer.current;
    const signature = await signer.sign(kid, 'a.b');
    expect(await signer.verify(kid, 'a.b', signature)).toBe(true);
    expect(await signer.verify(kid, 'a.c', signature)).toBe(false);
    const other = signer.publicKeys().find((key) => key.kid !== kid)?.kid ?? '';
    expect(await signer.verify(other, 'a.b', signature)).toBe(false);
    expect(await signer.verify('unknown', 'a.b', signature)).toBe(false);
  });

  test('are refused when any bit has changed', async () => {
    const signer = await openSigner();
    const { kid } = signer.current;
    const raw = Buffer.from(await signer.sign(kid, 'a.b'), 'base64url');
    for (let bit = 0; bit < 512; bit += 1) {
      const forged = Buffer.from(raw);
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await signer.verify(kid, 'a.b', forged.toString('base64url'))).toBe(false);
    }
  });

  test('are refused when r or s is out of range, whatever the other half', async () => {
    const signer = await openSigner();
    const { kid } = signer.current;
    const raw = Buffer.from(await signer.sign(kid, 'a.b'), 'base64url');
    const [r, s] = [raw.subarray(0, 32), raw.subarray(32)];
    const odd = [ZERO, ORDER, Buffer.alloc(32, 0xff)];
    for (const [left, right] of [
      ...odd.map((value) => [value, s] as const),
      ...odd.map((value) => [r, value] as const),
      ...odd.map((value) => [value, value] as const),
    ]) {
      const forged = Buffer.concat([left, right]).toString('base64url');
      expect(await signer.verify(kid, 'a.b', forged)).toBe(false);
    }
  });

  test('are refused in a second encoding', async () => {
    const signer = await openSigner();
    const { kid } = signer.current;
    const good = await signer.sign(kid, 'a.b');
    const standard = Buffer.from(good, 'base64url').toString('base64');
    const lastBits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const looseEnd = good.slice(0, -1) + lastBits[lastBits.indexOf(good.slice(-1)) + 1];
    expect(Buffer.from(looseEnd, 'base64url')).toEqual(Buffer.from(good, 'base64url'));
    for (const spelling of [
      looseEnd,
      standard,
      `${good}=`,
      `${good}A`,
      ` ${good}`,
      `${good.slice(0, HALF)}\n${good.slice(HALF)}`,
      good.slice(0, -1),
      '',
    ]) {
      expect(await signer.verify(kid, 'a.b', spelling), JSON.stringify(spelling)).toBe(false);
    }
  });

  test('cannot be made with an unknown key or one that is only next', async () => {
    const signer = await openSigner();
    const next = signer.publicKeys().find((key) => key.kid !== signer.current.kid)?.kid ?? '';
    await expect(signer.sign('unknown', 'a.b')).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(signer.sign(next, 'a.b')).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('key changes', () => {
  test('let a verifier with an older JWKS verify what is signed afterwards', async () => {
    const signer = await openSigner();
    const saved = jwks(signer.publicKeys());
    const before = signer.current.kid;
    const early = await signJws(signer, { n: 1 });
    const after = await rotate(signer);
    expect(after).not.toBe(before);
    expect(signer.current.kid).toBe(after);
    const late = await signJws(signer, { n: 2 });

    await compactVerify(late, saved);
    await compactVerify(early, jwks(signer.publicKeys()));
    expect(signer.publicKeys()).toHaveLength(3);
  });

  test('outlive the process, and a retired key loses its private part on disk', async () => {
    const first = await openSigner();
    const retired = first.current.kid;
    const input = 'a.b';
    const signature = await first.sign(retired, input);
    const active = await rotate(first);

    const second = await openSigner();
    expect(second.current.kid).toBe(active);
    expect(await second.verify(retired, input, signature)).toBe(true);
    await expect(second.sign(retired, input)).rejects.toThrow();
    expect(storedKey(retired)).not.toHaveProperty('d');
    expect(storedKey(retired).state).toBe('retired');
    expect(
      second
        .publicKeys()
        .map((key) => key.kid)
        .sort(),
    ).toEqual(
      first
        .publicKeys()
        .map((key) => key.kid)
        .sort(),
    );
  });

  test('still let the old key sign what it began just before', async () => {
    const signer = await openSigner();
    const { kid } = signer.current;
    await rotate(signer);
    expect(await signer.verify(kid, 'a.b', await signer.sign(kid, 'a.b'))).toBe(true);
  });

  test('by another process take effect on reload', async () => {
    const server = await openSigner();
    const commandLine = await openSigner();
    const rotated = await rotate(commandLine);
    await server.reload();
    expect(server.current.kid).toBe(rotated);
    await compactVerify(await signJws(server, {}), jwks(commandLine.publicKeys()));
  });

  test('cut off in a rotation are finished at the next start', async () => {
    const before = await openSigner();
    const old = before.current.kid;
    const oldFile = readFileSync(keyPath(old));
    const active = await rotate(before);
    // As if the process had died before it wrote the old key's new state.
    writeFileSync(keyPath(old), oldFile);

    const after = await openSigner();
    expect(after.current.kid).toBe(active);
    expect(storedKey(old).state).toBe('retired');
  });

  test('use a lock file that only its owner can access', async () => {
    const signer = await openSigner();
    await rotate(signer);
    expect(statSync(join(dataDir, 'keys.lock')).mode & 0o777).toBe(0o600);
  });

  test('cut off in a compromise are still recorded in the audit logs', async () => {
    let asked = 0;
    let cutOffAt = Number.POSITIVE_INFINITY;
    const clock = {
      now() {
        asked += 1;
        if (asked > cutOffAt) throw new Error('cut off');
        return systemClock.now();
      },
    };
    const signer = await openSigningKeys({ store: new KeyFolder(dataDir), clock });
    const { kid } = signer.current;
    for (let more = 1; storedKey(kid).state !== 'compromised'; more += 1) {
      cutOffAt = asked + more;
      await expect(signer.markCompromised([kid])).rejects.toThrow('cut off');
    }
    const again = await openSigner();
    const told: unknown[] = [];
    await again.recordChanges(async (changes) => void told.push(...changes));
    expect(told).toMatchObject([{ kind: 'compromised', kid, by: 'operator' }]);
  });

  test('cut off in the first start are finished at the next', async () => {
    const first = await openSigner();
    rmSync(keyPath(first.current.kid));
    const [left] = readdirSync(join(dataDir, 'keys'));
    const second = await openSigner();
    expect(`${second.current.kid}.json`).toBe(left);
    expect(second.publicKeys()).toHaveLength(2);
  });
});

describe('a compromised key', () => {
  test('is neither published nor trusted from that moment, and the next key replaces it', async () => {
    const signer = await openSigner();
    const saved = jwks(signer.publicKeys());
    const stolen = signer.current.kid;
    const signature = await signer.sign(stolen, 'a.b');
    await signer.markCompromised([stolen]);

    for (const holder of [signer, await openSigner()]) {
      expect(await holder.verify(stolen, 'a.b', signature)).toBe(false);
      expect(holder.publicKey(stolen)).toBeUndefined();
      expect(holder.publicKeys().map((key) => key.kid)).not.toContain(stolen);
      expect(holder.publicKeys()).toHaveLength(2);
      expect(holder.current.kid).not.toBe(stolen);
      await expect(holder.sign(stolen, 'a.b')).rejects.toThrow();
    }
    await compactVerify(await signJws(signer, {}), saved);
    expect(storedKey(stolen)).not.toHaveProperty('d');
  });

  test('that does not exist is refused by name', async () => {
    const signer = await openSigner();
    await expect(signer.markCompromised(['nobody'])).rejects.toThrow('no key nobody');
  });
});

describe('key files', () => {
  test('are accessible only to their owner and named by the RFC 7638 thumbprint', async () => {
    const signer = await openSigner();
    await rotate(signer);
    const dir = join(dataDir, 'keys');
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    const names = readdirSync(dir);
    expect(names).toHaveLength(3);
    for (const name of names) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    for (const key of signer.publicKeys()) {
      expect(await calculateJwkThumbprint({ ...key })).toBe(key.kid);
      expect(names).toContain(`${key.kid}.json`);
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    }
  });

  test.each([0o640, 0o604, 0o660, 0o644])('with mode %o keep the gate from starting', async (mode) => {
    const { kid } = (await openSigner()).current;
    chmodSync(keyPath(kid), mode);
    await expect(openSigner()).rejects.toThrow(/chmod 600/);
  });

  test('in a folder that others can write to keep the gate from starting', async () => {
    await openSigner();
    chmodSync(join(dataDir, 'keys'), 0o770);
    await expect(openSigner()).rejects.toThrow(/chmod 700/);
  });

  test.each<[string, (key: Record<string, unknown>) => unknown]>([
    ['another curve', (key) => ({ ...key, crv: 'P-384' })],
    ['another algorithm', (key) => ({ ...key, alg: 'HS256' })],
    ['an unknown state', (key) => ({ ...key, state: 'resting' })],
    ['no private part', ({ d: _gone, ...key }) => key],
    ['a made-up kid', (key) => ({ ...key, kid: 'mine' })],
    ['a shortened coordinate', (key) => ({ ...key, x: String(key.x).slice(1) })],
    ['a private part of another key', (key) => ({ ...key, d: Buffer.alloc(32, 7).toString('base64url') })],
    ['a list', (key) => [key]],
    ['nothing', () => null],
  ])('with %s keep the gate from starting', async (_what, change) => {
    const { kid } = (await openSigner()).current;
    writeFileSync(keyPath(kid), JSON.stringify(change(storedKey(kid))));
    await expect(openSigner()).rejects.toThrow(kid);
  });

  test('that are cut off keep the gate from starting, and the error reveals nothing of the key', async () => {
    const { kid } = (await openSigner()).current;
    const text = readFileSync(keyPath(kid), 'utf8');
    const { d } = storedKey(kid);
    writeFileSync(keyPath(kid), text.slice(0, -10));
    let message = '';
    try {
      await openSigner();
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('is not JSON');
    expect(message).not.toContain(String(d));
  });
});
