/** Other processes change the keys between a read and the write that depends on it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SigningKeyChange, SigningKeyState } from '../../src/gate/kernel/signing-key.ts';
import type { KeyStore } from '../../src/keys/key-store.ts';
import { NextKeyTooYoungError } from '../../src/keys/next-key-too-young-error.ts';
import { openSigningKeys, type SigningKeys } from '../../src/keys/signing-keys.ts';
import type { StoredKey } from '../../src/keys/stored-key.ts';
import { FakeClock } from '../fixtures/fake-clock.ts';
import { type KeyRoom, openKeyRoom } from './key-stores.ts';

const DAY = 24 * 3600;
const EARLY = { early: true };

let room: KeyRoom;
let clock = new FakeClock();
beforeEach(async () => {
  room = await openKeyRoom();
  clock = new FakeClock();
});
afterEach(() => room.close());

function open(store: KeyStore = room.store()): Promise<SigningKeys> {
  return openSigningKeys({ store, clock, settings: room.settings });
}

type Swap = KeyStore['compareAndSwap'];

/** The real store, with its writes replaced. */
function writing(swap: (swap: Swap) => Swap): KeyStore {
  const store = room.store();
  return {
    kind: store.kind,
    read: () => store.read(),
    hasChangedSince: (revision) => store.hasChangedSince(revision),
    locationOf: (kid) => store.locationOf(kid),
    compareAndSwap: swap((revision, keys) => store.compareAndSwap(revision, keys)),
  };
}

/** A slow process. `overtakenBy` sets what another process does once, just before this one writes. */
async function openSlow(): Promise<{ slow: SigningKeys; overtakenBy(what: () => Promise<unknown>): void }> {
  let first: (() => Promise<unknown>) | undefined;
  const slow = await open(
    writing((swap) => async (revision: string, keys: readonly StoredKey[]) => {
      const what = first;
      first = undefined;
      await what?.();
      return swap(revision, keys);
    }),
  );
  return { slow, overtakenBy: (what) => (first = what) };
}

function kidsIn(signer: SigningKeys, state: SigningKeyState): string[] {
  return signer.keys().flatMap((key) => (key.state === state ? [key.kid] : []));
}

/** Checks the keys as every running process and a new one see them. */
async function expectSound(signers: readonly SigningKeys[], withdrawn: readonly string[]): Promise<void> {
  for (const signer of [...signers, await open()]) {
    await signer.reload();
    expect(kidsIn(signer, 'active')).toEqual([signer.current.kid]);
    expect(kidsIn(signer, 'next').length).toBeGreaterThan(0);
    expect(kidsIn(signer, 'compromised').sort()).toEqual([...withdrawn].sort());
    for (const kid of withdrawn) expect(signer.publicKey(kid)).toBeUndefined();
    const { kid } = signer.current;
    expect(await signer.verify(kid, 'a.b', await signer.sign(kid, 'a.b'))).toBe(true);
  }
}

describe('when another process changes the keys first', () => {
  test('a rotation does not bring back an active key that was marked compromised', async () => {
    const { slow, overtakenBy } = await openSlow();
    const operator = await open();
    const stolen = slow.current.kid;
    overtakenBy(() => operator.markCompromised([stolen]));
    await slow.rotate('operator', EARLY);
    await expectSound([slow, operator], [stolen]);
  });

  test('a rotation does not replace a compromised next key with one that is too young', async () => {
    const { slow, overtakenBy } = await openSlow();
    const operator = await open();
    clock.advance(DAY);
    const [stolen = ''] = kidsIn(slow, 'next');
    overtakenBy(() => operator.markCompromised([stolen]));
    await expect(slow.rotate('operator')).rejects.toThrow(NextKeyTooYoungError);
    await expectSound([slow, operator], [stolen]);
    expect(kidsIn(slow, 'retired')).toEqual([]);
  });

  test('a key is marked compromised even if a rotation has just retired it', async () => {
    const { slow, overtakenBy } = await openSlow();
    const server = await open();
    const stolen = slow.current.kid;
    overtakenBy(() => server.rotate('schedule', EARLY));
    await slow.markCompromised([stolen]);
    await expectSound([slow, server], [stolen]);
  });

  test('the schedule does not repeat a rotation or create a key for it', async () => {
    const { slow, overtakenBy } = await openSlow();
    const operator = await open();
    clock.advance(DAY);
    overtakenBy(() => operator.rotate('operator'));
    expect(await slow.rotateIfDue(1)).toBeUndefined();
    await expectSound([slow, operator], []);
    expect(kidsIn(slow, 'retired')).toHaveLength(1);
    expect(kidsIn(slow, 'next')).toHaveLength(1);
  });
});

test('a write counts once it is done, even if its answer is lost', async () => {
  let isCut = false;
  const signer = await open(
    writing((swap) => async (revision, keys) => {
      const written = await swap(revision, keys);
      if (isCut) throw new Error('the connection was lost');
      return written;
    }),
  );
  const stolen = signer.current.kid;
  isCut = true;
  await expect(signer.markCompromised([stolen])).rejects.toThrow('the connection was lost');
  expect(signer.publicKey(stolen)).toBeUndefined();
  isCut = false;
  await expectSound([signer], [stolen]);
});

test('when several processes rotate keys and mark them as compromised at the same time, all changes take effect in some order', async () => {
  const signers = await Promise.all([open(), open(), open(), open()]);
  const withdrawn = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    clock.advance(1);
    const [stolen = ''] = kidsIn(await open(), round % 2 === 0 ? 'active' : 'next');
    withdrawn.add(stolen);
    await Promise.all(
      signers.map((signer, n) =>
        n === round % 4 ? signer.markCompromised([stolen]) : signer.rotate('operator', EARLY),
      ),
    );
  }
  await expectSound(signers, [...withdrawn]);
  const signer = await open();
  const signed = signer.keys().filter(({ activatedAt }) => activatedAt !== null);
  // The first key, and one for each rotation. A compromise may have added another.
  expect(signed.length).toBeGreaterThanOrEqual(1 + 5 * 3);
});

describe('a key change', () => {
  test('is recorded by only one of several processes', async () => {
    const [one, other] = [await open(), await open()];
    await one.markCompromised([one.current.kid]);
    await other.reload();
    const told: SigningKeyChange[] = [];
    const record = async (changes: readonly SigningKeyChange[]) => void told.push(...changes);
    await Promise.all([one, other, one, other].map((signer) => signer.recordChanges(record)));
    expect(told).toMatchObject([{ kind: 'compromised', other: one.current.kid }]);
  });

  test('is recorded by another process if the first one fails to', async () => {
    const [one, other] = [await open(), await open()];
    await one.rotate('operator', EARLY);
    const lost = () => Promise.reject(new Error('the database is away'));
    await expect(one.recordChanges(lost)).rejects.toThrow('the database is away');
    await other.reload();
    const told: SigningKeyChange[] = [];
    const record = async (changes: readonly SigningKeyChange[]) => void told.push(...changes);
    await other.recordChanges(record);
    expect(told).toEqual([]);
    clock.advance(31);
    await other.recordChanges(record);
    await one.reload();
    await one.recordChanges(record);
    expect(told).toMatchObject([{ kind: 'rotated', kid: one.current.kid }]);
  });

  test('is recorded together with the previous one if that is still unrecorded', async () => {
    const signer = await open();
    const kid = await signer.rotate('operator', EARLY);
    const lost = () => Promise.reject(new Error('the database is away'));
    await expect(signer.recordChanges(lost)).rejects.toThrow('the database is away');
    await signer.markCompromised([kid]);
    clock.advance(31);
    const told: SigningKeyChange[] = [];
    const record = async (changes: readonly SigningKeyChange[]) => void told.push(...changes);
    await signer.recordChanges(record);
    await signer.recordChanges(record);
    expect(told).toMatchObject([
      { kind: 'rotated', kid },
      { kind: 'compromised', kid, other: signer.current.kid },
    ]);
  });

  test('is recorded even if it happens while the previous one is being recorded', async () => {
    const signer = await open();
    const kid = await signer.rotate('operator', EARLY);
    const told: SigningKeyChange[] = [];
    await signer.recordChanges(async (changes) => {
      told.push(...changes);
      await signer.markCompromised([kid]);
    });
    await signer.recordChanges(async (changes) => void told.push(...changes));
    expect(told).toMatchObject([
      { kind: 'rotated', kid },
      { kind: 'compromised', kid, other: signer.current.kid },
    ]);
  });
});
