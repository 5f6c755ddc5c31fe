/** Moving a gate from a directory into a database: completely, once, and never served from both places. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { adoptCopy } from '../../src/ops/backup/adopt-copy.ts';
import { type MoveOptions, moveGate, undoMove } from '../../src/ops/move/move.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { GateDatabase } from '../../src/storage/open-storage.ts';
import { databaseFile } from '../../src/storage/sqlite/open-database.ts';
import { lockForServing } from '../../src/storage/sqlite/serving-lock.ts';
import { OPERATOR, TEST_KEY_SETTINGS } from '../fixtures/open-test-gate.ts';
import { borrowTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

const ISSUER = 'http://localhost:4000';
const REFUND = {
  action: 'payments.refund',
  params: { amount: 120, note: 'back\\slash "quoted" {braces}, ümlaut\n' },
};

let directory: string;
let database: TestDatabase;
let first: FirstCredentials;
let used: string;
let unused: string;
let sealed: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'permitry-move-'));
  database = await borrowTestDatabase();
  await withGate({ directory }, async ({ gate, signer }) => {
    first = await initialiseGate(gate, {
      mode: 'test',
      projectName: 'First',
      ownerEmail: 'owner@example.org',
    });
    await approvedOn(gate);
    await signer.markCompromised([signer.current.kid]);
    await signer.rotate('operator', { early: true });
    [used, unused] = [await approvedOn(gate), await approvedOn(gate)];
    await consumeOn(gate, used);
    sealed = gate.secretEncryption.encrypt('test', 'a secret');
  });
});
afterEach(async () => {
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

async function withGate<T>(place: GateDatabase, work: (opened: OpenGate) => Promise<T>): Promise<T> {
  const opened = await openGate({
    database: place,
    issuer: ISSUER,
    sealDelayMs: 5,
    ...('url' in place ? { signingKeys: TEST_KEY_SETTINGS } : {}),
  });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

async function approvedOn(gate: GateParts): Promise<string> {
  const { caller } = await authenticateKey(gate, first.secret_key);
  const { intent } = await submitIntent(gate, caller, REFUND);
  const decided = await decideIntent(gate, caller, { intentId: intent.id, decision: 'approve' });
  return decided.intent.permit?.token ?? '';
}

async function consumeOn(gate: GateParts, token: string) {
  const { caller } = await authenticateKey(gate, first.verifier_key);
  return verifyPermit(gate, caller, { token, ...REFUND, consume: true });
}

function options(more: Partial<MoveOptions> = {}): MoveOptions {
  return {
    directory,
    database: { url: database.url, shown: 'postgres://here/there' },
    signingKeys: TEST_KEY_SETTINGS,
    issuer: ISSUER,
    operator: OPERATOR,
    onMoved: () => {},
    onChecked: () => {},
    ...more,
  };
}

const nothing = async () => {};

const undo = (takeOver = async () => {}) => undoMove({ ...options(), takeOver });

describe('a gate that is moved', () => {
  test('keeps its chains, keys and secrets, and knows which permits were used', async () => {
    const before = await withGate({ directory }, async ({ gate, signer }) => {
      await gate.ledger.sealNow(first.project_id);
      return { head: await gate.storage.read.findChainHead(first.project_id), keys: signer.keys() };
    });
    const checked: string[] = [];
    const moved = await moveGate(options({ onChecked: (project) => checked.push(project) }));
    expect(moved.already).toBe(false);
    expect(moved.rows).toBeGreaterThan(40);
    expect(checked).toEqual(['First']);
    await withGate({ url: database.url }, async ({ gate, signer }) => {
      expect(await gate.storage.read.findChainHead(first.project_id)).toEqual(before.head);
      expect(signer.keys()).toEqual(before.keys);
      expect(gate.secretEncryption.decrypt('test', sealed)).toBe('a secret');
      await expect(consumeOn(gate, used)).rejects.toMatchObject({ details: { reason: 'already_used' } });
      const held = await consumeOn(gate, unused);
      expect(held.bound).toBe(true);
      expect(held.intent.params).toEqual(REFUND.params);
      // Numbering continues.
      await consumeOn(gate, await approvedOn(gate));
      expect(await verifyAudit(gate, OPERATOR, first.project_id)).toMatchObject({ valid: true, unsealed: 0 });
    });
    expect((await moveGate(options())).already).toBe(true);
  });

  test('can be served only from the database', async () => {
    await moveGate(options());
    await expect(withGate({ directory }, nothing)).rejects.toMatchObject({
      reason: 'moved',
      message: expect.stringContaining('postgres://here/there'),
    });
  });

  test('stores no private key in clear in the database', async () => {
    await moveGate(options());
    await withGate({ url: database.url }, async ({ gate, signer, storage }) => {
      const records = await gate.storage.read.listSigningKeyRecords();
      expect(records.length).toBeGreaterThan(3);
      for (const { document } of records) expect(JSON.parse(document).d).toBeUndefined();
      expect(signer.keptIn(signer.current.kid)).toBe('database');
      expect(await gate.storage.read.findInstallationFact('secrets_key')).toContain('"jwe"');
      expect(await gate.storage.read.findInstallationFact('base_url')).toBe(ISSUER);
      expect(await gate.storage.read.findInstallationFact('served_database')).toBe(await storage.identity());
    });
    // The directory keeps its keys unchanged.
    expect(readFileSync(join(directory, 'keys', 'secrets.key'), 'utf8')).toContain('"k"');
  });
});

describe('a move that is interrupted', () => {
  test.each([
    ['while rows are copied', { onMoved: ({ table }: { table: string }) => failAt(table === 'events') }],
    ['after the audit log of a project is verified', { onChecked: () => failAt(true) }],
  ])('%s leaves nothing that can be served, and the next move completes it', async (_when, cut) => {
    await expect(moveGate(options(cut))).rejects.toThrow('cut off');
    await expect(withGate({ directory }, nothing)).rejects.toThrow(/is being moved/);
    await expect(withGate({ url: database.url }, nothing)).rejects.toThrow(/is being moved/);
    expect((await moveGate(options())).already).toBe(false);
    await withGate({ url: database.url }, async ({ gate }) => {
      await expect(consumeOn(gate, used)).rejects.toMatchObject({ details: { reason: 'already_used' } });
    });
  });

  test('can be undone, which leaves the directory as it was', async () => {
    await expect(moveGate(options({ onMoved: () => failAt(true) }))).rejects.toThrow('cut off');
    expect(await undo()).toEqual({ tookOver: false });
    await withGate({ directory }, async ({ gate }) => {
      expect((await consumeOn(gate, unused)).bound).toBe(true);
    });
    await expect(withGate({ url: database.url }, nothing)).rejects.toThrow(/went back/);
  });
});

describe('a move is refused', () => {
  test('while a server serves the directory, which stays usable', async () => {
    const lock = lockForServing(directory);
    await expect(moveGate(options())).rejects.toThrow('Another server is serving');
    lock.release();
    await withGate({ directory }, ({ gate }) => approvedOn(gate));
  });

  test('when the database holds another gate, which stays unchanged', async () => {
    await withGate({ url: database.url }, ({ gate }) =>
      initialiseGate(gate, { mode: 'test', projectName: 'Other', ownerEmail: 'owner@example.org' }),
    );
    await expect(moveGate(options())).rejects.toMatchObject({ reason: 'occupied' });
    await withGate({ url: database.url }, async ({ gate }) => {
      expect((await gate.storage.read.listProjects()).map(({ name }) => name)).toEqual(['Other']);
    });
    await withGate({ directory }, ({ gate }) => approvedOn(gate));
  });

  test('into a second database, and from a directory without a gate', async () => {
    await moveGate(options());
    const other = { url: database.url, shown: 'postgres://elsewhere/there' };
    await expect(moveGate(options({ database: other }))).rejects.toMatchObject({ reason: 'moved' });
    const empty = join(directory, 'keys');
    await expect(moveGate(options({ directory: empty }))).rejects.toMatchObject({ reason: 'no_gate' });
  });

  test('when PostgreSQL cannot store a text, until the column that the error names is corrected', async () => {
    const file = new DatabaseSync(databaseFile(directory));
    file.prepare("update agents set framework = 'a' || char(0) || 'b'").run();
    file.close();
    await expect(moveGate(options())).rejects.toThrow(/agents\.framework of agt_.*NUL/);
    // The operator corrects the text in the directory and moves again.
    await undo();
    await withGate({ directory }, ({ gate }) => approvedOn(gate));
    const again = new DatabaseSync(databaseFile(directory));
    again.exec('update agents set framework = null');
    again.close();
    expect((await moveGate(options())).already).toBe(false);
  });

  test('when the rows that arrived are not those that were sent', async () => {
    await expect(moveGate(options({ onChecked: () => failAt(true) }))).rejects.toThrow('cut off');
    const file = new DatabaseSync(databaseFile(directory));
    file.exec('pragma foreign_keys = off; delete from approvals');
    file.close();
    await expect(moveGate(options())).rejects.toThrow(/approvals: 0 were sent, 3 arrived/);
    await expect(withGate({ url: database.url }, nothing)).rejects.toThrow(/is being moved/);
  });
});

describe('undoing a move', () => {
  test('treats the directory as a restored copy if the database may have been served', async () => {
    await moveGate(options());
    await withGate({ url: database.url }, ({ gate }) => consumeOn(gate, unused));
    const undone = await undoMove({
      ...options(),
      takeOver: async (within) => {
        await adoptCopy({
          dataDir: directory,
          issuer: ISSUER,
          revokeKeys: false,
          operator: OPERATOR,
          withGate: (_there, work) => within(work),
        });
      },
    });
    expect(undone).toEqual({ tookOver: true });
    await expect(withGate({ url: database.url }, nothing)).rejects.toThrow(/went back/);
    await withGate({ directory }, async ({ gate }) => {
      const project = await gate.storage.read.findProject(first.project_id);
      expect(project?.stoppedAt).not.toBeNull();
      await expect(consumeOn(gate, unused)).rejects.toMatchObject({ code: 'permit_invalid' });
    });
    await expect(moveGate(options())).rejects.toMatchObject({ reason: 'occupied' });
  });

  test('is refused while a gate serves the database', async () => {
    await moveGate(options());
    const serving = await openGate({
      database: { url: database.url },
      issuer: ISSUER,
      clock: systemClock,
      signingKeys: TEST_KEY_SETTINGS,
      serving: true,
    });
    await expect(undo()).rejects.toMatchObject({ reason: 'occupied' });
    await serving.close();
    await expect(withGate({ directory }, nothing)).rejects.toMatchObject({ reason: 'moved' });
  });

  test('is refused if there was no move, and the directory stays usable', async () => {
    await expect(undo()).rejects.toMatchObject({ reason: 'no_gate' });
    await withGate({ directory }, ({ gate }) => approvedOn(gate));
  });
});

function failAt(now: boolean): void {
  if (now) throw new Error('cut off');
}
