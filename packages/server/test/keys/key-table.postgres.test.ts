/** The keys in a database: who can read them, and who can write them. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeyEncryption } from '../../src/keys/key-encryption.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from '../../src/keys/key-settings.ts';
import { KeyTable } from '../../src/keys/key-table.ts';
import { KeyWatch } from '../../src/keys/key-watch.ts';
import { openSecretEncryption } from '../../src/keys/secret-encryption.ts';
import { SecretKeyRow } from '../../src/keys/secret-key-row.ts';
import { openSigningKeys, type SigningKeys } from '../../src/keys/signing-keys.ts';
import type { StoredKey } from '../../src/keys/stored-key.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { FakeClock } from '../fixtures/fake-clock.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { KEK, openKeyTable, putRecord } from './key-stores.ts';

const OTHER = createSecretKey(randomBytes(32));
const UNDER_KEK = { ...KEYS_IN_CLEAR_FILES, keyEncryptionKey: KEK };
const FROM_KEK_TO_OTHER = { ...UNDER_KEK, keyEncryptionKey: OTHER, previousKeyEncryptionKey: KEK };
const UNDER_OTHER = { ...UNDER_KEK, keyEncryptionKey: OTHER };

let storage: OpenStorage;
let url: string;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ storage, url, close } = await openKeyTable());
});
afterEach(() => close());

function tableUnder({ keyEncryptionKey, previousKeyEncryptionKey }: SigningKeySettings): KeyTable {
  return new KeyTable(storage, new KeyEncryption(keyEncryptionKey ?? KEK, previousKeyEncryptionKey));
}

function open(settings: SigningKeySettings = UNDER_KEK, clock = systemClock): Promise<SigningKeys> {
  return openSigningKeys({ store: tableUnder(settings), clock, settings });
}

async function rows(): Promise<(StoredKey & { seal: string })[]> {
  const records = await storage.read.listSigningKeyRecords();
  return records.map(({ document, seal }) => ({ ...(JSON.parse(document) as StoredKey), seal }));
}

function put(kid: string, key: object, seal: string): Promise<void> {
  return putRecord(storage, { kid, document: JSON.stringify(key), seal });
}

async function isGood(signer: SigningKeys): Promise<boolean> {
  const { kid } = signer.current;
  return signer.verify(kid, 'a.b', await signer.sign(kid, 'a.b'));
}

describe('keys in a database', () => {
  test('are encrypted there, and other gates can open them', async () => {
    const signer = await open();
    const stored = await rows();
    expect(stored).toHaveLength(2);
    for (const { d, encrypted } of stored) {
      expect(d).toBeUndefined();
      expect(encrypted).toBeTruthy();
    }
    expect(signer.keptIn(signer.current.kid)).toBe('database');
    const other = await open();
    expect(other.current).toEqual(signer.current);
    expect(await isGood(other)).toBe(true);
  });

  test('are one set, even when several gates start for the first time at once', async () => {
    const signers = await Promise.all([open(), open(), open()]);
    expect(await rows()).toHaveLength(2);
    for (const signer of signers) {
      await signer.reload();
      expect(signer.publicKeys()).toEqual(signers[0]?.publicKeys());
      expect(signer.current).toEqual(signers[0]?.current);
    }
  });

  test('have each change recorded once, by whichever gate comes first', async () => {
    const [one, other] = [await open(), await open()];
    await one.rotate('operator', { early: true });
    await other.reload();
    const told: unknown[] = [];
    const record = async (changes: readonly unknown[]) => void told.push(...changes);
    await Promise.all([one.recordChanges(record), other.recordChanges(record)]);
    expect(told).toMatchObject([{ kind: 'rotated', kid: one.current.kid, by: 'operator' }]);
  });

  test('reach a gate when it polls, and an unchanged poll costs a single statement', async () => {
    const [server, operator] = [await open(), await open()];
    const errors: unknown[] = [];
    const watch = new KeyWatch(server, 'database', {
      error: (error) => errors.push(error),
      change: async () => {},
    });
    const stolen = server.current.kid;
    await operator.markCompromised([stolen]);
    expect(server.publicKey(stolen)).toBeDefined();
    await watch.poll();
    expect(server.publicKey(stolen)).toBeUndefined();
    expect(server.current).toEqual(operator.current);
    const before = storage.stats().statementsRead;
    await watch.poll();
    expect(storage.stats().statementsRead).toBe(before + 1);
    expect(errors).toEqual([]);
  });

  test('are refused if altered without the key-encryption key', async () => {
    const signer = await open();
    const stolen = signer.current.kid;
    await signer.markCompromised([stolen]);
    const stored = await rows();
    const withdrawn = stored.find(({ kid }) => kid === stolen);
    if (!withdrawn) throw new Error('the key is gone');
    const { seal, ...key } = withdrawn;
    await put(stolen, { ...key, state: 'retired' }, seal);
    await expect(open()).rejects.toThrow(/altered by somebody who does not hold the key-encryption key/);
    // A running gate continues to refuse the altered key.
    await expect(signer.refresh()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(signer.publicKey(stolen)).toBeUndefined();
  });

  test('are reported by a running gate when someone plants a row', async () => {
    const signer = await open();
    const errors: unknown[] = [];
    const watch = new KeyWatch(signer, 'database', {
      error: (error) => errors.push(error),
      change: async () => {},
    });
    // The first poll reads the keys that this gate wrote itself.
    await watch.poll();
    await withClient(url, (client) =>
      client.query(
        `insert into signing_keys (kid, document, seal) select 'planted', document, seal from signing_keys limit 1`,
      ),
    );
    for (let polls = 0; polls < 120; polls += 1) await watch.poll();
    expect(errors.map(String)).toEqual([expect.stringContaining('the signing key planted in the database')]);
    expect(signer.stats()).toMatchObject({ unreadableKeys: 1 });
    expect(signer.publicKey('planted')).toBeUndefined();
    expect(await isGood(signer)).toBe(true);
    await expect(open()).rejects.toThrow('planted');
    await withClient(url, (client) => client.query(`delete from signing_keys where kid = 'planted'`));
    await signer.reload();
    expect(signer.stats()).toMatchObject({ unreadableKeys: 0 });
  });

  test('stay compromised at every gate that knew, even if their old row is put back with its seal', async () => {
    const signer = await open();
    const other = await open();
    const stolen = signer.current.kid;
    const before = (await storage.read.listSigningKeyRecords()).find(({ kid }) => kid === stolen);
    if (!before) throw new Error('the key is gone');
    const signature = await signer.sign(stolen, 'a.b');
    await signer.markCompromised([stolen]);
    await other.refresh();
    await putRecord(storage, before);
    for (const gate of [signer, other]) {
      await gate.reload();
      expect(gate.publicKey(stolen)).toBeUndefined();
      expect(await gate.verify(stolen, 'a.b', signature)).toBe(false);
      expect(gate.current.kid).not.toBe(stolen);
    }
  });

  test('are neither written nor read with a private part in clear', async () => {
    const signer = await open();
    const [row] = await rows();
    if (!row) throw new Error('there is no key');
    const { seal: _seal, encrypted: _encrypted, ...key } = row;
    const clear = { ...key, d: 'A'.repeat(43) };
    const table = tableUnder(UNDER_KEK);
    const { revision } = await table.read();
    await expect(table.compareAndSwap(revision, [clear])).rejects.toThrow('stored unencrypted');
    expect(await table.hasChangedSince(revision)).toBe(false);
    await put(key.kid, clear, new KeyEncryption(KEK, null).seal(JSON.stringify(clear)));
    await expect(signer.reload()).rejects.toThrow('stored unencrypted');
  });
});

describe('replacing the key-encryption key', () => {
  test('rewrites all keys while both are given, and then needs only the new one', async () => {
    const clock = new FakeClock();
    const signer = await open(UNDER_KEK, clock);
    const stolen = signer.current.kid;
    await signer.markCompromised([stolen]);
    await signer.rotate('operator', { early: true });
    await expect(open(UNDER_OTHER)).rejects.toThrow(/PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS/);
    const both = await open(FROM_KEK_TO_OTHER);
    expect([...(await both.encrypt())].sort()).toEqual((await rows()).map(({ kid }) => kid));
    expect(await both.encrypt()).toEqual([]);
    const after = await open(UNDER_OTHER);
    expect(after.keys()).toEqual(signer.keys());
    expect(after.publicKey(stolen)).toBeUndefined();
    expect(await isGood(after)).toBe(true);
    await expect(open(UNDER_KEK)).rejects.toThrow(/PERMITRY_KEY_ENCRYPTION_KEY/);
  });
});

describe('the key for stored secrets', () => {
  const problems: unknown[] = [];
  const openEncryption = (settings: SigningKeySettings) =>
    openSecretEncryption(new SecretKeyRow(storage), settings, (error) => void problems.push(error));

  test('is shared by all gates, encrypted, and follows a replaced key-encryption key', async () => {
    problems.length = 0;
    const [one, other] = await Promise.all([openEncryption(UNDER_KEK), openEncryption(UNDER_KEK)]);
    const sealed = one.encrypt('totp usr_1', 'JBSWY3DPEHPK3PXP');
    expect(other.decrypt('totp usr_1', sealed)).toBe('JBSWY3DPEHPK3PXP');
    expect(await storage.read.findInstallationFact('secrets_key')).toMatch(/^\{"jwe":"[^"]+"\}$/);
    await openEncryption(FROM_KEK_TO_OTHER);
    expect((await openEncryption(UNDER_OTHER)).decrypt('totp usr_1', sealed)).toBe('JBSWY3DPEHPK3PXP');
    expect(problems).toEqual([]);
  });

  test('is not used if someone stored it in clear', async () => {
    const k = randomBytes(32).toString('base64url');
    await storage.transaction((tx) => tx.putInstallationFact('secrets_key', JSON.stringify({ k })));
    problems.length = 0;
    const box = await openEncryption(UNDER_KEK);
    expect(problems).toHaveLength(1);
    expect(() => box.encrypt('totp usr_1', 'x')).toThrow(
      expect.objectContaining({ code: 'service_unavailable' }),
    );
  });
});
