import {
  type AuditProblem,
  auditEventHash,
  auditRecordHash,
  commitText,
  genesisHash,
  verifyAuditExport,
} from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportAudit } from '../../src/gate/audit/export-audit.ts';
import { toAuditRecord } from '../../src/gate/audit/to-audit-record.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { openTestLedger, PERSON, type TestLedger } from './open-ledger.ts';

/** The number of records that the tests add. They follow the records about the opening of the project. */
const OWN = 12;

let t: TestLedger;
/** `seq` of the record in the middle that the test alters, and of the last one. */
let seq = 0;
let last = 0;
beforeEach(async () => {
  t = await openTestLedger();
  const before = (await t.events(t.projectId)).length;
  for (let n = 0; n < OWN; n += 1) {
    await t.record({
      type: 'intent.denied',
      actor: PERSON,
      intentId: 'int_1',
      data: { n, reason: `reason ${n}` },
      personal: ['/data/reason'],
    });
  }
  await t.gate.ledger.sealNow(t.projectId);
  last = before + OWN;
  seq = before + 5;
});
afterEach(async () => {
  await t.close();
});

async function recordAt(place: number) {
  const event = (await t.events(t.projectId)).find((found) => found.seq === place);
  if (!event) throw new Error(`no record ${place}`);
  return toAuditRecord(event);
}

async function exported(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of await exportAudit(t.gate, OPERATOR, t.projectId)) lines.push(line);
  return lines;
}

test('an untouched chain verifies, and the result says how far it goes', async () => {
  const head = await t.gate.storage.read.findChainHead(t.projectId);
  expect(await verifyAudit(t.gate, OPERATOR, t.projectId)).toEqual({
    valid: true,
    count: last,
    sealedThrough: last,
    unsealed: 0,
    head,
  });
  expect(head?.seq).toBe(last);
});

test('a chain of several pages verifies', async () => {
  await t.recordSealed(650);
  expect(await verifyAudit(t.gate, OPERATOR, t.projectId)).toMatchObject({ valid: true, count: last + 650 });
});

describe('verification detects', () => {
  const NUL = JSON.stringify({ n: 4, reason: null });

  test.each<[what: string, sql: string, values: (string | number | null)[], problem: AuditProblem]>([
    ['a changed number in the data', `data = replace(data, '"n":4', '"n":5')`, [], 'content_altered'],
    ['an extra member in the data', `data = replace(data, '{"n"', '{"m":1,"n"')`, [], 'content_altered'],
    ['data that is no longer JSON', `data = substr(data, 2)`, [], 'malformed_record'],
    ['a changed type', `type = 'intent.approved'`, [], 'content_altered'],
    ['a type that does not exist', `type = 'intent.forgotten'`, [], 'content_altered'],
    ['a changed time', `occurred_at = '2026-11-20T12:00:00.001Z'`, [], 'content_altered'],
    ['a changed actor', `actor_id = 'usr_2'`, [], 'content_altered'],
    ['a changed kind of actor', `actor_type = 'operator'`, [], 'content_altered'],
    ['a changed intent', `intent_id = 'int_2'`, [], 'content_altered'],
    ['a changed ID', `id = 'evt_2'`, [], 'content_altered'],
    ['a changed display name', `actor_display = 'eve@example.org'`, [], 'text_altered'],
    ['a changed committed text', `data = replace(data, 'reason 4', 'reason 5')`, [], 'text_altered'],
    ['a changed salt', `commitments = replace(commitments, '"salt":"', '"salt":"A')`, [], 'text_altered'],
    ['removed commitments', `commitments = '{}'`, [], 'content_altered'],
    ['a text erased without its salt', `data = ?`, [NUL], 'text_altered'],
    ['a display name erased without its salt', `actor_display = null`, [], 'text_altered'],
    ['a changed event hash', `event_hash = (select prev_hash from seals limit 1)`, [], 'content_altered'],
  ])('%s', async (_what, sql, values, problem) => {
    expect(t.tamper(`update events set ${sql} where seq = ?`, ...values, seq)).toBe(1);
    expect(await t.firstBad()).toMatchObject({ seq, problem });
  });

  test('a changed record hash', async () => {
    t.tamperHash(seq, (await recordAt(seq)).prev_hash);
    expect(await t.firstBad()).toMatchObject({ seq, problem: 'link_broken' });
  });

  test('a changed hash before a sealed stretch', async () => {
    await t.recordSealed(3);
    expect(t.tamper('update seals set prev_hash = ? where first_seq = ?', genesisHash('x'), last + 1)).toBe(
      1,
    );
    expect(await t.firstBad()).toMatchObject({ seq: last + 1, problem: 'link_broken' });
  });

  test.each([
    ['missing', 'delete from seals where last_seq >= ?'],
    ['cut short', 'update seals set hashes = substr(hashes, 1, 64) where last_seq >= ?'],
  ])('a seal that is %s', async (_what, sql) => {
    await t.recordSealed(3);
    expect(t.tamper(sql, last + 1)).toBe(1);
    expect((await t.firstBad())?.seq ?? last).toBeGreaterThanOrEqual(last);
    expect(await t.firstBad()).toBeDefined();
  });

  test('a text replaced together with its salt and digest', async () => {
    const { commitments, data } = await recordAt(seq);
    const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
    const forged = { ...commitments, '/data/reason': { digest: commitText('forged', salt), salt } };
    const sql = 'update events set data = ?, commitments = ? where seq = ?';
    t.tamper(sql, JSON.stringify({ ...data, reason: 'forged' }), JSON.stringify(forged), seq);
    expect(await t.firstBad()).toMatchObject({ seq, problem: 'content_altered' });
  });

  test('a changed record with its hashes recomputed', async () => {
    const record = await recordAt(seq);
    const eventHash = auditEventHash(t.projectId, { ...record, type: 'intent.approved' });
    t.tamper(`update events set type = 'intent.approved', event_hash = ? where seq = ?`, eventHash, seq);
    t.tamperHash(seq, auditRecordHash(record.prev_hash, seq, eventHash));
    expect(await t.firstBad()).toMatchObject({ seq: seq + 1, problem: 'link_broken' });
  });

  test('a history rewritten to its end', async () => {
    let prevHash = (await recordAt(seq)).prev_hash;
    for (let place = seq; place <= last; place += 1) {
      const record = await recordAt(place);
      const eventHash = auditEventHash(t.projectId, { ...record, type: 'intent.approved' });
      const hash = auditRecordHash(prevHash, place, eventHash);
      t.tamper(`update events set type = 'intent.approved', event_hash = ? where seq = ?`, eventHash, place);
      t.tamperHash(place, hash);
      prevHash = hash;
    }
    expect(await t.firstBad()).toMatchObject({ seq: last, problem: 'history_rewritten' });
    t.tamper('update chain_heads set hash = ?', prevHash);
    expect(await t.firstBad()).toMatchObject({ problem: 'head_invalid' });
  });

  test('a removed record', async () => {
    expect(t.tamper('delete from events where seq = ?', seq)).toBe(1);
    expect(await t.firstBad()).toMatchObject({ seq: seq + 1, problem: 'missing_record' });
  });

  test('a record moved to the end, where it is sealed again', async () => {
    t.tamper('update events set seq = ? where seq = ?', last + 1, seq);
    expect(await t.firstBad()).toMatchObject({ seq: seq + 1, problem: 'missing_record' });
  });

  test('an event removed before it was sealed', async () => {
    await t.sealer.close();
    await t.record({ data: { n: 1 } });
    await t.record({ data: { n: 2 } });
    t.tamper('delete from events where seq = ?', last + 1);
    expect(await t.firstBad()).toMatchObject({ seq: last + 1, problem: 'missing_record' });
    await expect(t.gate.ledger.sealNow(t.projectId)).rejects.toThrow(`event ${last + 1} of`);
  });

  test('two swapped records', async () => {
    t.tamper('update events set seq = -1 where seq = ?', seq);
    t.tamper('update events set seq = ? where seq = ?', seq, seq + 1);
    t.tamper('update events set seq = ? where seq = -1', seq + 1);
    expect(await t.firstBad()).toMatchObject({ seq, problem: 'link_broken' });
  });

  test('a removed tail', async () => {
    expect(t.tamper('delete from events where seq > ?', last - 3)).toBe(3);
    expect(await t.firstBad()).toMatchObject({ seq: last - 2, problem: 'tail_missing' });
  });

  test('the removal of all records', async () => {
    t.tamper('delete from events');
    expect(await t.firstBad()).toMatchObject({ seq: 1, problem: 'tail_missing' });
  });

  test('an event altered before it was sealed', async () => {
    await t.sealer.close();
    await t.record({ data: { n: 1 } });
    t.tamper(`update events set data = '{"n":2}' where seq = ?`, last + 1);
    expect(await t.firstBad()).toMatchObject({ seq: last + 1, problem: 'content_altered' });
  });

  test('the earliest of several changes', async () => {
    t.tamper(`update events set type = 'intent.approved' where seq in (?, ?)`, seq, seq + 3);
    t.tamper('delete from chain_heads');
    expect(await t.firstBad()).toMatchObject({ seq, problem: 'content_altered' });
  });
});

describe('a signed head', () => {
  async function headRow() {
    const head = await t.gate.storage.read.findChainHead(t.projectId);
    if (!head) throw new Error('no head');
    return head;
  }

  test('that is older than the records is detected at the first record after it', async () => {
    const older = await headRow();
    await t.recordSealed(3);
    t.tamper('update chain_heads set seq = ?, hash = ?, jws = ?', older.seq, older.hash, older.jws);
    expect(await t.firstBad()).toMatchObject({ seq: last + 1, problem: 'beyond_head' });
  });

  test('that is older than the records prevents further sealing', async () => {
    const older = await headRow();
    await t.recordSealed(3);
    await t.sealer.close();
    t.tamper('update chain_heads set seq = ?, hash = ?, jws = ?', older.seq, older.hash, older.jws);
    await t.record();
    await expect(t.gate.ledger.sealNow(t.projectId)).rejects.toThrow();
    expect(await verifyAudit(t.gate, OPERATOR, t.projectId)).toMatchObject({
      valid: false,
      unsealed: 1,
      firstBad: { seq: last + 1, problem: 'beyond_head' },
    });
  });

  test('restored together with older records is consistent, but fails against a head saved elsewhere', async () => {
    const older = await headRow();
    await t.recordSealed(3);
    const saved = await headRow();
    t.tamper('delete from events where seq > ?', older.seq);
    t.tamper('delete from seals where last_seq > ?', older.seq);
    t.tamper('update chain_heads set seq = ?, hash = ?, jws = ?', older.seq, older.hash, older.jws);
    expect(await t.firstBad()).toBeUndefined();

    const lines = await exported();
    expect(await verifyAuditExport(lines)).toMatchObject({ valid: true, count: last });
    expect(await verifyAuditExport(lines, { sinceHead: saved.jws })).toMatchObject({
      valid: false,
      firstBad: { seq: last + 1, problem: 'tail_missing' },
    });
  });

  test.each([
    ['that is missing', 'delete from chain_heads'],
    ['with another sequence number', 'update chain_heads set seq = seq - 1'],
    ['with another signature', `update chain_heads set jws = substr(jws, 1, length(jws) - 8) || 'AAAAAAAA'`],
    ['that is not a token', `update chain_heads set jws = 'head'`],
  ])('%s is not trusted', async (_what, sql) => {
    expect(t.tamper(sql)).toBe(1);
    expect(await t.firstBad()).toMatchObject({ seq: null, problem: 'head_invalid' });
  });

  test('of another gate is not trusted, and the next seal replaces it with a valid one', async () => {
    const other = await openTestLedger();
    try {
      await other.recordSealed(1);
      const foreign = await other.gate.storage.read.findChainHead(other.projectId);
      t.tamper('update chain_heads set jws = ?', foreign?.jws ?? '');
      expect(await t.firstBad()).toMatchObject({ problem: 'head_invalid' });
      await t.recordSealed(1);
      expect(await t.firstBad()).toBeUndefined();
    } finally {
      await other.close();
    }
  });

  test('of another project of the same gate is not trusted', async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Second',
      mode: 'test',
      ownerEmail: 'owner@example.org',
    });
    await t.gate.ledger.sealNow(project.id);
    const foreign = await t.gate.storage.read.findChainHead(project.id);
    t.tamper('update chain_heads set jws = ? where project_id = ?', foreign?.jws ?? '', t.projectId);
    expect(await t.firstBad()).toMatchObject({ problem: 'head_invalid' });
  });
});

test('a chain whose text was erased with its salt still verifies, in the gate and in an export', async () => {
  const record = await recordAt(seq);
  const erased = Object.fromEntries(
    Object.entries(record.commitments).map(([pointer, { digest }]) => [pointer, { digest, salt: null }]),
  );
  t.tamper(
    'update events set actor_display = null, data = ?, commitments = ? where seq = ?',
    JSON.stringify({ ...record.data, reason: null }),
    JSON.stringify(erased),
    seq,
  );
  expect(await t.firstBad()).toBeUndefined();
  expect(await recordAt(seq)).toMatchObject({ actor: { display: null }, data: { n: 4, reason: null } });
  expect(await verifyAuditExport(await exported())).toMatchObject({ valid: true, count: last });
});

test('other requests are served while a long chain is verified', async () => {
  await t.recordSealed(1_000);
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 0);
  await verifyAudit(t.gate, OPERATOR, t.projectId);
  clearInterval(counting);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test('verification is refused to agents and executors, and treats another project as if it did not exist', async () => {
  expect((await refusalOf(verifyAudit(t.gate, t.agent, t.projectId))).code).toBe('forbidden');
  expect((await refusalOf(verifyAudit(t.gate, t.verifier, t.projectId))).code).toBe('forbidden');
  expect((await refusalOf(verifyAudit(t.gate, t.secret, 'prj_other'))).code).toBe('project_not_found');
  expect((await refusalOf(verifyAudit(t.gate, OPERATOR, 'prj_other'))).code).toBe('project_not_found');
  expect((await verifyAudit(t.gate, t.owner.caller, t.projectId)).valid).toBe(true);
});
