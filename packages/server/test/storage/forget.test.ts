import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  openSqliteStorage,
  type SqliteStorageOptions,
} from '../../src/storage/sqlite/open-sqlite-storage.ts';

const WORDS = 'words that are to leave the disk';

async function openOne(options: Omit<SqliteStorageOptions, 'directory'> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-forget-'));
  const storage = await openSqliteStorage({ directory, ...options });
  onTestFinished(async () => {
    await storage.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const remember = (key: string, text: string) =>
    storage.transaction((tx) =>
      tx.insertIdempotencyRecord(
        {
          scope: 'key_x POST /v1/intents',
          key,
          bodyHash: 'sha256:00',
          status: 201,
          body: { text },
          expiresAt: '2026-01-02T00:00:00.000Z',
        },
        '2026-01-01T00:00:00.000Z',
      ),
    );
  const bytes = () =>
    readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join();
  return { storage, remember, bytes };
}

test('many simultaneous calls to forget erased data all succeed, and so do writes meanwhile', async () => {
  const { storage, remember } = await openOne();
  await remember('before', WORDS);
  const asked = Array.from({ length: 30 }, () => storage.forget());
  const wrote = Array.from({ length: 10 }, (_, n) => remember(`meanwhile ${n}`, 'other words'));
  const outcomes = await Promise.allSettled([...asked, ...wrote]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('a call to forget erased data during an earlier call also removes what was erased meanwhile', async () => {
  const { storage, remember, bytes } = await openOne();
  for (let n = 0; n < 5; n += 1) {
    const earlier = storage.forget();
    await remember(`later ${n}`, `${WORDS} ${n}`);
    await storage.transaction((tx) => tx.eraseAnswer({ scope: 'key_x POST /v1/intents', key: `later ${n}` }));
    await storage.forget();
    expect(bytes()).not.toContain(WORDS);
    await earlier;
  }
});

test('a file that is too large to rebuild at every erasure is reported, and rebuilt on request', async () => {
  const { storage } = await openOne({ rewriteBelowBytes: 1 });
  expect(await storage.forget()).toBe(false);
  expect(await storage.forget({ rewrite: true })).toBe(true);
});
