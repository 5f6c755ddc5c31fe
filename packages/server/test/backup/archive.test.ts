/**
 * The contents of an archive. Nothing is restored from an archive that is altered, cut off, or not the expected one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { BackupError } from '../../src/ops/backup/backup-error.ts';
import { generateBackupKey, parseBackupKey } from '../../src/ops/backup/backup-key.ts';
import { assertRoom } from '../../src/ops/backup/disk.ts';
import { type Manifest, parseManifest } from '../../src/ops/backup/manifest.ts';
import { makeTemporaryFolder } from '../../src/ops/backup/temporary-folder.ts';
import { verifyBackup } from '../../src/ops/backup/verify-backup.ts';
import { type MemberSource, writeArchive } from '../../src/ops/backup/write-archive.ts';
import { OPERATOR, type TestGate } from '../fixtures/open-test-gate.ts';
import { backUp, freshPath, gateForTest, openRestored, restore } from './open-two-gates.ts';

const ODD = 'a filler so that there is something to alter: ';

async function gateWithSome(): Promise<TestGate> {
  const t = await gateForTest();
  for (let n = 0; n < 20; n += 1) {
    await submitIntent(t.gate, t.agent, { action: 'payments.refund', params: { n, filler: `${ODD}${n}` } });
  }
  await t.sealer.sealNow(t.projectId);
  return t;
}

async function refusalOf(work: Promise<unknown>): Promise<BackupError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof BackupError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Expects verify and restore to refuse the file with the same message, and restore to leave no files behind. */
async function expectNothingMade(
  t: TestGate,
  file: string,
  reason: BackupError['reason'],
  options: Parameters<typeof restore>[2] & object = {},
): Promise<BackupError> {
  const dataDir = freshPath('data');
  const refusal = await refusalOf(restore(file, t.clock, { dataDir, ...options }));
  expect(refusal.reason).toBe(reason);
  expect(readdirSync(dirname(dataDir))).toEqual([]);
  const { key, sha256, jwks, since } = options;
  expect((await refusalOf(verifyBackup(file, { key, sha256, jwks, since }))).message).toBe(refusal.message);
  return refusal;
}

interface Member {
  name: string;
  content: Buffer;
}

/** The contents of an unencrypted archive. */
function contentsOf(file: string): { manifest: Manifest; members: Member[] } {
  const tar = gunzipSync(readFileSync(file));
  const members: Member[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const bytes = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8);
    const name = tar.toString('latin1', at, tar.indexOf(0, at));
    members.push({ name, content: tar.subarray(at + 512, at + 512 + bytes) });
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
  const [manifest, ...rest] = members;
  return { manifest: parseManifest(manifest?.content ?? Buffer.alloc(0)), members: rest };
}

/** The same archive with a change and recomputed hashes, as a forger would make it. */
async function forge(
  file: string,
  change: (archive: { manifest: Manifest; members: Member[] }) => void,
): Promise<string> {
  const archive = contentsOf(file);
  change(archive);
  const members: MemberSource[] = archive.members.map(({ name, content }) => ({
    name,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    open: async function* () {
      yield content;
    },
  }));
  const { format: _, members: __, ...contents } = archive.manifest;
  const forged = freshPath('forged.backup');
  await writeArchive(forged, { contents, members, key: undefined, onProgress: () => {} });
  return forged;
}

function changeDatabase({ members }: { members: Member[] }, ...statements: string[]): void {
  const path = freshPath('permitry.sqlite');
  writeFileSync(path, members[0]?.content ?? '');
  const database = new DatabaseSync(path);
  for (const statement of statements) database.exec(statement);
  database.close();
  members[0] = { name: 'permitry.sqlite', content: readFileSync(path) };
}

describe('a backup', () => {
  it('is one file that only its owner can read, lists its contents, and can be read by tar', async () => {
    const t = await gateWithSome();
    const { file, backup } = await backUp(t);
    const bytes = readFileSync(file);
    expect(backup).toMatchObject({
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      encryptedTo: null,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [head] = (await t.events(t.projectId)).slice(-1);
    expect(backup.manifest).toMatchObject({
      format: 'permitry-backup/1',
      created_at: t.clock.now(),
      base_url: 'http://localhost:4000',
      private_keys: 'in_clear',
      projects: [{ id: t.projectId, name: 'First', seq: head?.seq, hash: head?.hash }],
    });
    const { manifest, members } = contentsOf(file);
    expect(manifest).toEqual(backup.manifest);
    expect(members.map(({ name }) => name)).toEqual(['permitry.sqlite', ...keyNames(t)]);
    if (spawnSync('tar', ['--version']).error === undefined) {
      const listed = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n');
      expect(listed).toEqual(['manifest.json', 'permitry.sqlite', ...keyNames(t)]);
    }
  });

  it('leaves nothing else in the data directory or beside the file', async () => {
    const t = await gateWithSome();
    const before = readdirSync(t.dataDir);
    const { file } = await backUp(t);
    expect(readdirSync(t.dataDir)).toEqual(before);
    expect(readdirSync(dirname(file))).toEqual(['gate.backup']);
  });

  it('removes old leftovers of an interrupted backup, and nothing that may still be in use', async () => {
    const t = await gateWithSome();
    const old = join(t.dataDir, '.backup-999999999-00000000');
    const fresh = join(t.dataDir, '.backup-999999998-00000000');
    mkdirSync(old);
    mkdirSync(fresh);
    execFileSync('touch', ['-d', '2 hours ago', old]);
    const working = makeTemporaryFolder(t.dataDir, '.backup');
    execFileSync('touch', ['-d', '2 hours ago', working.path]);
    await backUp(t);
    expect([existsSync(old), existsSync(fresh), existsSync(working.path)]).toEqual([false, true, true]);
    working.remove();
  });

  it.skipIf(process.getuid?.() !== 0)('does not touch a folder of another user, however old it is', () => {
    const parent = dirname(freshPath('x'));
    const planted = join(parent, 'permitry-verify-999999999-0a1b2c3d');
    mkdirSync(planted);
    execFileSync('touch', ['-d', '2 hours ago', planted]);
    chownSync(planted, 12_345, 12_345);
    makeTemporaryFolder(parent, 'permitry-verify').remove();
    expect(existsSync(planted)).toBe(true);
  });

  it('of a directory without a gate is refused', async () => {
    const t = await gateForTest();
    expect((await refusalOf(backUp({ dataDir: freshPath('nothing'), clock: t.clock }))).reason).toBe(
      'no_gate',
    );
  });

  it('never replaces an existing file', async () => {
    const t = await gateForTest();
    const file = freshPath('taken');
    writeFileSync(file, 'mine');
    expect((await refusalOf(backUp(t, { file }))).reason).toBe('occupied');
    // The backup is also refused when the file appears while the backup is being made.
    const late = freshPath('late');
    const work = backUp(t, { file: late, onProgress: () => writeFileSync(late, 'mine') });
    expect((await refusalOf(work)).reason).toBe('occupied');
    expect([readFileSync(file, 'utf8'), readFileSync(late, 'utf8')]).toEqual(['mine', 'mine']);
    expect(readdirSync(dirname(late))).toEqual(['late']);
  });

  it('of a damaged gate is refused', async () => {
    const t = await gateForTest();
    const damaged = freshPath('data');
    mkdirSync(join(damaged, 'keys'), { recursive: true });
    const { file } = await backUp(t);
    writeFileSync(join(damaged, 'permitry.sqlite'), contentsOf(file).members[0]?.content ?? '');
    const database = new DatabaseSync(join(damaged, 'permitry.sqlite'));
    database.exec('pragma foreign_keys = off');
    database.exec("update api_keys set agent_id = 'agt_nobody'");
    database.close();
    expect(await refusalOf(backUp({ dataDir: damaged, clock: t.clock }))).toMatchObject({
      reason: 'damaged',
      message: expect.stringContaining('agents'),
    });
  });
});

function keyNames(t: TestGate): string[] {
  return readdirSync(join(t.dataDir, 'keys'))
    .sort()
    .map((name) => `keys/${name}`);
}

describe('private signing keys', () => {
  it('in clear are not put into an unencrypted backup unless the operator allows it', async () => {
    const t = await gateForTest();
    const file = freshPath('gate.backup');
    const refusal = await refusalOf(backUp(t, { file, keysInClear: undefined }));
    expect(refusal.reason).toBe('keys_in_clear');
    expect(existsSync(file)).toBe(false);
  });

  it('can be left out: a restored gate signs with a new one, and old signatures still verify', async () => {
    const t = await gateWithSome();
    const { file, backup } = await backUp(t, { keysInClear: 'left_out' });
    expect(backup.manifest.private_keys).toBe('left_out');
    for (const { content } of contentsOf(file).members.slice(1)) {
      expect(JSON.parse(content.toString())).not.toHaveProperty('d');
    }
    const { dataDir } = await restore(file, t.clock);
    const { gate } = await openRestored(dataDir, t.clock);
    expect(gate.tokens.signer.current.kid).not.toBe(t.gate.tokens.signer.current.kid);
    expect(gate.tokens.signer.publicKey(t.gate.tokens.signer.current.kid)).toEqual(
      t.gate.tokens.signer.publicKey(t.gate.tokens.signer.current.kid),
    );
  });

  it('that are stored encrypted are copied unchanged', async () => {
    const t = await gateForTest();
    const folder = join(t.dataDir, 'keys');
    const encrypted = keyNames(t).map((name) => {
      const path = join(folder, name.slice('keys/'.length));
      const { d: _, k: _secret, ...key } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
      writeFileSync(path, JSON.stringify({ ...key, encrypted: 'eyJ…' }));
      return readFileSync(path);
    });
    const { file, backup } = await backUp(t, { keysInClear: undefined });
    expect(backup.manifest.private_keys).toBe('as_kept');
    expect(
      contentsOf(file)
        .members.slice(1)
        .map(({ content }) => content),
    ).toEqual(encrypted);
  });
});

describe('an encrypted backup', () => {
  it('is made with a public key, and opens only with its secret key', async () => {
    const t = await gateWithSome();
    const { identity, recipient } = await generateBackupKey();
    const { file, backup } = await backUp(t, { key: parseBackupKey(recipient), keysInClear: undefined });
    expect(backup).toMatchObject({ encryptedTo: 'recipients', manifest: { private_keys: 'in_clear' } });
    expect(readFileSync(file).includes(ODD.slice(0, 20))).toBe(false);
    const key = parseBackupKey(identity);
    expect(await verifyBackup(file, { key })).toMatchObject({ isEncrypted: true, manifest: backup.manifest });
    await expectNothingMade(t, file, 'key_missing');
    await expectNothingMade(t, file, 'key_wrong', { key: parseBackupKey(recipient) });
    const other = parseBackupKey((await generateBackupKey()).identity);
    await expectNothingMade(t, file, 'key_wrong', { key: other });
    await expectNothingMade(t, file, 'key_wrong', { key: parseBackupKey('some passphrase or other') });
    const { dataDir } = await restore(file, t.clock, { key });
    expect(readdirSync(dataDir).sort()).toEqual(['base-url', 'keys', 'permitry.sqlite']);
  });

  it('is refused when it is altered or cut off anywhere', async () => {
    const t = await gateWithSome();
    const { identity } = await generateBackupKey();
    const key = parseBackupKey(identity);
    const { file, backup } = await backUp(t, { key });
    const bytes = readFileSync(file);
    for (const at of [300, Math.floor(backup.bytes / 2), backup.bytes - 1]) {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ 0x01;
      const path = freshPath('altered');
      writeFileSync(path, altered);
      await expectNothingMade(t, path, 'damaged', { key });
    }
    for (const length of [10, 100, 250, Math.floor(backup.bytes / 2), backup.bytes - 1]) {
      const path = freshPath('cut-off');
      writeFileSync(path, bytes.subarray(0, length));
      await expectNothingMade(t, path, 'damaged', { key });
    }
  });

  it('cannot be replaced by an unencrypted backup unnoticed', async () => {
    const t = await gateForTest();
    const { file } = await backUp(t);
    const key = parseBackupKey((await generateBackupKey()).identity);
    await expectNothingMade(t, file, 'unexpected', { key });
  });
});

describe('an unencrypted backup', () => {
  it('is refused when a byte is altered, when it is cut off, and when it is another kind of file', async () => {
    const t = await gateWithSome();
    const { file, backup } = await backUp(t);
    const tar = gunzipSync(readFileSync(file));
    const write = (content: Buffer) => {
      const path = freshPath('altered');
      writeFileSync(path, content);
      return path;
    };
    for (const at of [600, 5000, Math.floor(tar.length / 2), tar.length - 2000]) {
      const altered = Buffer.from(tar);
      altered[at] = (altered[at] ?? 0) ^ 0x01;
      await expectNothingMade(t, write(gzipSync(altered)), 'damaged');
    }
    const bytes = readFileSync(file);
    for (const length of [5, 30, Math.floor(backup.bytes / 2), backup.bytes - 1]) {
      await expectNothingMade(t, write(bytes.subarray(0, length)), 'damaged');
    }
    await expectNothingMade(t, write(Buffer.from('something else altogether')), 'damaged');
    await expectNothingMade(t, write(Buffer.alloc(0)), 'damaged');
    await expectNothingMade(t, write(gzipSync(Buffer.from('no tar'))), 'damaged');
    await expectNothingMade(t, write(gzipSync(Buffer.concat([tar, Buffer.alloc(512)]))), 'damaged');
  });

  it('is refused when its digest differs from the expected one', async () => {
    const t = await gateForTest();
    const { file, backup } = await backUp(t);
    await expectNothingMade(t, file, 'unexpected', { sha256: '0'.repeat(64) });
    expect(await verifyBackup(file, { sha256: backup.sha256 })).toMatchObject({ sha256: backup.sha256 });
  });

  it('of a newer release is refused, with that reason', async () => {
    const t = await gateForTest();
    const { file } = await backUp(t);
    const tar = gunzipSync(readFileSync(file));
    const newer = freshPath('newer');
    writeFileSync(
      newer,
      gzipSync(
        Buffer.from(tar.toString('latin1').replace('permitry-backup/1', 'permitry-backup/2'), 'latin1'),
      ),
    );
    await expectNothingMade(t, newer, 'newer');
    const later = "insert into permitry_migrations values (9999, 1, 1, 1, '')";
    const schema = await forge(file, (archive) => changeDatabase(archive, later));
    expect((await expectNothingMade(t, schema, 'damaged')).message).toContain('schema version 9999');
  });

  it('with unsafe, duplicate or missing member names is refused', async () => {
    const t = await gateForTest();
    const { file } = await backUp(t);
    const { members } = contentsOf(file);
    const [database, key] = members;
    if (!database || !key) throw new Error('there are no members');
    for (const names of [
      ['permitry.sqlite', '../evil'],
      ['permitry.sqlite', 'keys/../../evil'],
      ['permitry.sqlite', 'keys/.hidden'],
      ['permitry.sqlite', 'keys/a', 'keys/a'],
      ['keys/a'],
      [],
    ]) {
      const work = forge(file, (archive) => {
        archive.members = names.map((name) => ({
          name,
          content: name === 'permitry.sqlite' ? database.content : key.content,
        }));
      });
      // The writer refuses to list such members, so the test calls the reader directly.
      expect((await refusalOf(work)).reason).toBe('damaged');
    }
  });
});

describe('an inconsistent backup', () => {
  it.each([
    [
      'an altered event',
      /does not verify: Record 3 was altered/,
      "update events set type = 'intent.denied' where seq = 3",
    ],
    ['a removed event', /does not verify: Record 3 is missing/, 'delete from events where seq = 3'],
    ['a moved head', /does not end where the manifest says/, 'update chain_heads set seq = seq - 1'],
    ['another project name', /projects are not those/, "update projects set name = 'Other'"],
    [
      'a smuggled trigger',
      /tables are not those/,
      'create trigger undo after update on intents begin update intents set revoked_at = null where id = new.id; end',
    ],
    // A name that a careless pattern confuses with the planner's own statistics.
    [
      'a trigger that looks like statistics',
      /tables are not those/,
      'create trigger sqliteXstat1 after update on intents begin update intents set revoked_at = null where id = new.id; end',
    ],
    ['a missing index', /tables are not those/, 'drop index events_by_intent'],
    [
      'a dangling reference',
      /refers to a row/,
      "pragma foreign_keys = off; update approvals set intent_id = 'x'; insert into member_groups values ('prj_x', 'g', 'now')",
    ],
    ['the database of another application', /not a Permitry database/, 'pragma application_id = 1'],
  ])('with %s is refused, and nothing is restored', async (_, message, statement) => {
    const t = await gateWithSome();
    const { file } = await backUp(t);
    const forged = await forge(file, (archive) => changeDatabase(archive, statement));
    expect((await expectNothingMade(t, forged, 'damaged')).message).toMatch(message);
  });

  it('with a head signed by an unknown key is refused, and nothing is restored', async () => {
    const [t, stranger] = [await gateWithSome(), await gateWithSome()];
    const { file } = await backUp(t);
    const strangers = contentsOf((await backUp(stranger)).file).members.slice(1);
    const forged = await forge(file, ({ members }) => members.splice(1, members.length, ...strangers));
    expect((await expectNothingMade(t, forged, 'damaged')).message).toContain('not signed by a known key');
    // An intact archive from another gate brings its own keys, so only keys saved earlier reveal it.
    const whole = (await backUp(stranger)).file;
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    await expectNothingMade(t, whole, 'damaged', { jwks });
    expect(await verifyBackup(file, { jwks })).toMatchObject({ projects: [{ id: t.projectId }] });
  });
});

describe('a head kept elsewhere', () => {
  async function setUp() {
    const t = await gateWithSome();
    const early = await t.gate.storage.read.findChainHead(t.projectId);
    await submitIntent(t.gate, t.agent, { action: 'a', params: {} });
    await t.sealer.sealNow(t.projectId);
    const { file } = await backUp(t);
    for (let n = 0; n < 3; n += 1) await submitIntent(t.gate, t.agent, { action: 'a', params: {} });
    await t.sealer.sealNow(t.projectId);
    const late = await t.gate.storage.read.findChainHead(t.projectId);
    if (!early || !late) throw new Error('there are no heads');
    return { t, file, early, late };
  }

  it('shows how many records the backup lacks', async () => {
    const { file, early, late } = await setUp();
    const lacks = async (...since: (string | { seq: number; hash: string })[]) =>
      (await verifyBackup(file, { since })).projects[0]?.lacks;
    expect(await lacks()).toBeNull();
    expect(await lacks(early.jws)).toBe(0);
    expect(await lacks(late.jws)).toBe(3);
    expect(await lacks(early.jws, { seq: late.seq, hash: late.hash })).toBe(3);
  });

  it('causes a refusal if it belongs to another history, project or signer', async () => {
    const { t, file, early } = await setUp();
    const hash = `sha256:${'0'.repeat(64)}`;
    const other = await expectNothingMade(t, file, 'unexpected', { since: [{ seq: early.seq, hash }] });
    expect(other.message).toContain(`record ${early.seq}`);
    const stranger = await gateWithSome();
    const foreign = await stranger.gate.storage.read.findChainHead(stranger.projectId);
    const foreignHead = foreign?.jws ?? '';
    await expectNothingMade(t, file, 'unexpected', { since: [foreignHead] });
    const jwks = {
      keys: [...t.gate.tokens.signer.publicKeys(), ...stranger.gate.tokens.signer.publicKeys()],
    };
    const message = (await expectNothingMade(t, file, 'unexpected', { since: [foreignHead], jwks })).message;
    expect(message).toContain(stranger.projectId);
  });

  it('is refused without its project if the backup contains several', async () => {
    const { t, early } = await setUp();
    await createProject(t.gate, OPERATOR, { name: 'Second', mode: 'live', ownerEmail: 'o@example.org' });
    const { file } = await backUp(t);
    await expectNothingMade(t, file, 'unexpected', { since: [{ seq: early.seq, hash: early.hash }] });
    expect((await verifyBackup(file, { since: [early.jws] })).projects.map(({ lacks }) => lacks)).toEqual([
      0,
      null,
    ]);
  });
});

describe('the target directory of a restore', () => {
  it('may be empty or missing, and what is created in it is private to its owner', async () => {
    const t = await gateWithSome();
    const { file } = await backUp(t);
    const empty = freshPath('data');
    mkdirSync(join(empty, 'lost+found'), { recursive: true });
    const absent = freshPath(join('new', 'data'));
    for (const dataDir of [empty, absent]) {
      await restore(file, t.clock, { dataDir });
      expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['base-url', 'keys', 'permitry.sqlite']));
      expect(readdirSync(dirname(dataDir))).toEqual(['data']);
      expect(readdirSync(dataDir).filter((name) => name.startsWith('.'))).toEqual([]);
      for (const name of ['permitry.sqlite', ...keyNames(t)]) {
        expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
      }
      expect(statSync(join(dataDir, 'keys')).mode & 0o777).toBe(0o700);
    }
    expect(statSync(absent).mode & 0o777).toBe(0o700);
  });

  it('is left unchanged if it contains anything', async () => {
    const t = await gateForTest();
    const { file } = await backUp(t);
    const dataDir = freshPath('data');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'notes.txt'), 'mine');
    expect((await refusalOf(restore(file, t.clock, { dataDir }))).reason).toBe('occupied');
    expect((await refusalOf(restore(file, t.clock, { dataDir: t.dataDir }))).reason).toBe('occupied');
    expect(readdirSync(dataDir)).toEqual(['notes.txt']);
  });

  it('is left unchanged if files appear in it during the restore', async () => {
    const t = await gateForTest();
    const { file } = await backUp(t);
    for (const isThere of [true, false]) {
      const dataDir = freshPath('data');
      if (isThere) mkdirSync(dataDir);
      const onProgress = () => {
        mkdirSync(dataDir, { recursive: true });
        writeFileSync(join(dataDir, 'permitry.sqlite'), 'mine');
      };
      expect((await refusalOf(restore(file, t.clock, { dataDir, onProgress }))).reason).toBe('occupied');
      expect(readFileSync(join(dataDir, 'permitry.sqlite'), 'utf8')).toBe('mine');
      expect(readdirSync(dirname(dataDir))).toEqual(['data']);
    }
  });
});

it('a disk with too little free space is refused', () => {
  expect(() => assertRoom('/tmp', Number.MAX_SAFE_INTEGER)).toThrow(BackupError);
  expect(() => assertRoom('/tmp', 0)).not.toThrow();
});
