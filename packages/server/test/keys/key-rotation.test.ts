/** When one key replaces another, also with several processes or a compromise at the same moment. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { JWKS_MAX_AGE_SECONDS } from '../../src/gate/kernel/signer.ts';
import type { SigningKeyState } from '../../src/gate/kernel/signing-key.ts';
import type { KeyStore } from '../../src/keys/key-store.ts';
import { NextKeyTooYoungError } from '../../src/keys/next-key-too-young-error.ts';
import { rotateOnSchedule } from '../../src/keys/rotation-schedule.ts';
import { openSigningKeys, type SigningKeys } from '../../src/keys/signing-keys.ts';
import type { StoredKey } from '../../src/keys/stored-key.ts';
import { FakeClock } from '../fixtures/fake-clock.ts';
import { type KeyRoom, openKeyFolder, openKeyRoom } from './key-stores.ts';

const DAY = 24 * 3600;

let room: KeyRoom;
let clock = new FakeClock();
afterEach(() => room.close());

function open(): Promise<SigningKeys> {
  return openSigningKeys({ store: room.store(), clock, settings: room.settings });
}

/** A store that fails after `writes` writes, as if the process had died. */
function cutOffAfter(writes: number, store: KeyStore): KeyStore {
  let left = writes;
  return Object.assign(Object.create(store) as KeyStore, {
    read: () => store.read(),
    hasChangedSince: (revision: string) => store.hasChangedSince(revision),
    locationOf: (kid: string) => store.locationOf(kid),
    async compareAndSwap(revision: string, keys: readonly StoredKey[]) {
      const written = await store.compareAndSwap(revision, keys.slice(0, left));
      left -= keys.length;
      if (left < 0) throw new Error('cut off');
      return written;
    },
  });
}

function kidsIn(signer: SigningKeys, state: SigningKeyState): string[] {
  return signer
    .keys()
    .filter((key) => key.state === state)
    .map(({ kid }) => kid);
}

function scheduleOf(signer: SigningKeys, days: number) {
  const rotated: string[] = [];
  const errors: unknown[] = [];
  const on = {
    rotated: async (kid: string) => void rotated.push(kid),
    error: (error: unknown) => void errors.push(error),
  };
  return { poll: () => rotateOnSchedule(signer, days, on), rotated, errors };
}

describe('keys in a folder or a database', () => {
  beforeEach(async () => {
    room = await openKeyRoom();
    clock = new FakeClock();
  });

  describe('a rotation', () => {
    test('is refused while a verifier may hold a key set without the next key, and changes nothing', async () => {
      const signer = await open();
      await signer.rotate('operator', { early: true });
      clock.advance(JWKS_MAX_AGE_SECONDS);
      const before = signer.keys();
      await expect(signer.rotate('operator')).rejects.toThrow(NextKeyTooYoungError);
      expect(signer.keys()).toEqual(before);
      expect(await open().then((other) => other.keys())).toEqual(before);

      clock.advance(JWKS_MAX_AGE_SECONDS);
      const [next] = kidsIn(signer, 'next');
      expect(await signer.rotate('operator')).toBe(next);
    });

    test('never unpublishes a key that signed', async () => {
      const signer = await open();
      const signed: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        signed.push(signer.current.kid);
        clock.advance(400 * DAY);
        await signer.rotate('operator');
      }
      expect(signer.publicKeys().map(({ kid }) => kid)).toEqual(expect.arrayContaining(signed));
      expect(kidsIn(signer, 'retired')).toEqual(signed);
    });

    test('happens once when several processes try at once', async () => {
      const signers = await Promise.all([open(), open(), open(), open()]);
      const [next] = kidsIn(await open(), 'next');
      clock.advance(DAY);
      const answers = await Promise.allSettled(signers.map((signer) => signer.rotate('operator')));
      const done = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      expect(done).toEqual([next]);
      for (const signer of signers) await signer.reload();
      for (const signer of signers) {
        expect(signer.current.kid).toBe(next);
        expect(kidsIn(signer, 'next')).toHaveLength(1);
        expect(kidsIn(signer, 'retired')).toHaveLength(1);
      }
    });

    test('does not bring back a key that is marked compromised at the same time', async () => {
      const [server, operator] = [await open(), await open()];
      clock.advance(DAY);
      const stolen = server.current.kid;
      await Promise.allSettled([operator.markCompromised([stolen]), server.rotate('schedule')]);
      for (const signer of [server, operator, await open()]) {
        await signer.reload();
        expect(kidsIn(signer, 'compromised')).toEqual([stolen]);
        expect(signer.publicKey(stolen)).toBeUndefined();
        expect(signer.current.kid).not.toBe(stolen);
      }
    });

    test.each([0, 1, 2])('cut off after %i writes leaves usable keys for the next start', async (writes) => {
      const before = await open();
      clock.advance(DAY);
      const cut = await openSigningKeys({
        store: cutOffAfter(writes, room.store()),
        clock,
        settings: room.settings,
      });
      await expect(cut.rotate('operator')).rejects.toThrow('cut off');
      const after = await open();
      expect(kidsIn(after, 'active')).toHaveLength(1);
      expect(kidsIn(after, 'next').length).toBeGreaterThan(0);
      for (const { kid } of before.publicKeys()) expect(after.publicKey(kid)).toBeDefined();
      const { kid } = after.current;
      expect(await before.verify(kid, 'a.b', await after.sign(kid, 'a.b'))).toBe(true);
      expect(after.current.kid === before.current.kid).toBe(writes < 2);
    });

    test('records when each key began and ended', async () => {
      const signer = await open();
      const { kid } = signer.current;
      const start = clock.now();
      clock.advance(DAY);
      const then = clock.now();
      const next = await signer.rotate('operator');
      clock.advance(DAY);
      await signer.markCompromised([next]);
      expect(signer.keys().slice(0, 2)).toEqual([
        { kid, state: 'retired', createdAt: start, activatedAt: start, retiredAt: then, compromisedAt: null },
        {
          kid: next,
          state: 'compromised',
          createdAt: start,
          activatedAt: then,
          retiredAt: null,
          compromisedAt: clock.now(),
        },
      ]);
    });
  });

  describe('the schedule', () => {
    test('replaces the active key when it reaches the set age, and not before', async () => {
      const signer = await open();
      const { poll, rotated, errors } = scheduleOf(signer, 90);
      const [next] = kidsIn(signer, 'next');
      clock.advance(90 * DAY - 1);
      await poll();
      expect(rotated).toEqual([]);
      clock.advance(1);
      await poll();
      await poll();
      expect(rotated).toEqual([next]);
      expect(signer.current.kid).toBe(next);
      expect(errors).toEqual([]);
    });

    test('counts the age from the last rotation, even one by command', async () => {
      const signer = await open();
      const { poll, rotated } = scheduleOf(signer, 90);
      clock.advance(50 * DAY);
      await (await open()).rotate('operator');
      await signer.reload();
      clock.advance(50 * DAY);
      await poll();
      expect(rotated).toEqual([]);
      clock.advance(40 * DAY);
      await poll();
      expect(rotated).toHaveLength(1);
    });

    test('rotates only once together with a command at the same moment', async () => {
      const signer = await open();
      const { poll, rotated, errors } = scheduleOf(signer, 90);
      clock.advance(91 * DAY);
      const [command] = await Promise.allSettled([(await open()).rotate('operator'), poll()]);
      await signer.reload();
      expect((command?.status === 'fulfilled' ? 1 : 0) + rotated.length).toBe(1);
      expect(kidsIn(signer, 'retired')).toHaveLength(1);
      expect(errors).toEqual([]);
    });

    test('waits until verifiers can know the next key', async () => {
      const signer = await open();
      const { poll, rotated, errors } = scheduleOf(signer, 1);
      clock.advance(2 * DAY);
      // The next key is compromised, so its successor is published only now.
      await signer.markCompromised(kidsIn(signer, 'next'));
      await poll();
      expect([rotated, errors]).toEqual([[], []]);
      clock.advance(2 * JWKS_MAX_AGE_SECONDS);
      await poll();
      expect(rotated).toHaveLength(1);
    });

    test('never rotates when set to 0 days', async () => {
      const signer = await open();
      const { poll, rotated } = scheduleOf(signer, 0);
      clock.advance(10_000 * DAY);
      await poll();
      expect(rotated).toEqual([]);
    });
  });
});

describe('keys in a folder', () => {
  let dataDir = '';
  beforeEach(async () => {
    const folder = await openKeyFolder();
    ({ dataDir } = folder);
    room = folder;
    clock = new FakeClock();
  });

  test('that become unreadable make the schedule report an error, but the active key still signs', async () => {
    const signer = await open();
    const { kid } = signer.current;
    const { poll, rotated, errors } = scheduleOf(signer, 1);
    clock.advance(DAY);
    const [name = ''] = readdirSync(join(dataDir, 'keys'));
    const path = join(dataDir, 'keys', name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, 'broken');
    await poll();
    expect(rotated).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(await signer.verify(kid, 'a.b', await signer.sign(kid, 'a.b'))).toBe(true);
    writeFileSync(path, text);
    await poll();
    expect(rotated).toHaveLength(1);
  });

  describe('one of which cannot be opened', () => {
    test('still apply the compromise of another', async () => {
      const server = await open();
      const operator = await open();
      const stolen = server.current.kid;
      await operator.markCompromised([stolen]);
      const [next = ''] = kidsIn(operator, 'next');
      const path = join(dataDir, 'keys', `${next}.json`);
      const { d: _gone, ...key } = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...key, encrypted: 'e30.a.b.c.d' }), { mode: 0o600 });
      await expect(server.reload()).rejects.toThrow(next);
      expect(server.publicKey(stolen)).toBeUndefined();
      expect(server.current.kid).not.toBe(stolen);
    });
  });
});
