import { type AuditRecord, verifyAuditExport } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportAudit } from '../../src/gate/audit/export-audit.ts';
import { type AuditQuery, readAudit } from '../../src/gate/audit/read-audit.ts';
import { ON_SQLITE, OPERATOR } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { anIntent } from '../storage/conformance/samples.ts';
import { openTestLedger, PERSON, type TestLedger } from './open-ledger.ts';

let t: TestLedger;
beforeEach(async () => {
  t = await openTestLedger();
});
afterEach(async () => {
  await t.close();
});

async function read(query: Partial<AuditQuery> = {}) {
  return readAudit(t.gate, t.owner.caller, { projectId: t.projectId, ...query });
}

async function lines(): Promise<string[]> {
  const found: string[] = [];
  for await (const line of await exportAudit(t.gate, OPERATOR, t.projectId)) found.push(line);
  return found;
}

describe('reading the audit log', () => {
  test('shows events as soon as they are committed, sealed and newest first', async () => {
    await t.record({ data: { n: 1 } });
    await t.record({ data: { n: 2 } });
    const { items } = await read();
    expect(items.slice(0, 2).map((event) => event.data.n)).toEqual([2, 1]);
    expect(items[0]?.seq).toBe(items.length);
  });

  test('gives pages that do not shift while records are added', async () => {
    await t.recordSealed(25);
    const first = await read({ limit: 10 });
    await t.recordSealed(5);
    const second = await read({ limit: 10, cursor: first.nextCursor ?? '' });
    const top = first.items[0]?.seq ?? 0;
    const seqs = [...first.items, ...second.items].map((event) => event.seq);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, n) => top - n));
  });

  test('returns the whole log page by page in either order, and marks the last page', async () => {
    await t.recordSealed(23);
    for (const order of ['asc', 'desc'] as const) {
      const seqs: number[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await read({ order, limit: 10, ...(cursor === undefined ? {} : { cursor }) });
        seqs.push(...page.items.map((event) => event.seq));
        cursor = page.nextCursor;
      }
      const ascending = Array.from({ length: seqs.length }, (_, n) => n + 1);
      expect(order === 'asc' ? seqs : seqs.reverse()).toEqual(ascending);
      expect(seqs.length).toBeGreaterThanOrEqual(23);
    }
  });

  test('examines only a part of a long log at a time if few records match, and says where to continue', async () => {
    await t.record({ type: 'agent.paused' });
    for (let n = 0; n < 2; n += 1) await t.recordSealed(6_000);
    const pages: number[] = [];
    let cursor: string | null | undefined;
    const found: string[] = [];
    while (cursor !== null) {
      const page = await read({ types: ['agent.paused'], ...(cursor === undefined ? {} : { cursor }) });
      pages.push(page.items.length);
      found.push(...page.items.map((event) => event.type));
      cursor = page.nextCursor;
    }
    expect(pages).toEqual([0, 1]);
    expect(found).toEqual(['agent.paused']);
    expect(await read({ types: ['agent.paused'], cursor: '99999999' })).toMatchObject({ items: [] });
    expect((await read({ order: 'asc', types: ['agent.paused'] })).items).toHaveLength(1);
  });

  test('combines filters', async () => {
    await t.gate.storage.transaction(async (tx) => {
      for (const id of ['int_1', 'int_2', 'int_3'])
        await tx.insertIntent(anIntent(id, { projectId: t.projectId }));
    });
    t.clock.set('2027-01-01T00:00:00.000Z');
    await t.record({ type: 'intent.created', intentId: 'int_1', actor: PERSON });
    t.clock.set('2027-01-02T00:00:00.000Z');
    await t.record({ type: 'intent.denied', intentId: 'int_1' });
    await t.record({ type: 'intent.denied', intentId: 'int_2', actor: PERSON });
    t.clock.set('2027-01-03T00:00:00.000Z');
    await t.record({ type: 'intent.expired', intentId: 'int_3' });

    const found = async (query: Partial<AuditQuery>) =>
      (await read({ order: 'asc', ...query })).items.map(({ type, intentId }) => `${type} ${intentId}`);
    const since = { from: '2027-01-01' };
    expect(await found({ ...since, types: ['intent.denied'] })).toEqual([
      'intent.denied int_1',
      'intent.denied int_2',
    ]);
    expect(await found({ types: ['intent.created', 'intent.expired'] })).toEqual([
      'intent.created int_1',
      'intent.expired int_3',
    ]);
    expect(await found({ intentId: 'int_1' })).toEqual(['intent.created int_1', 'intent.denied int_1']);
    expect(await found({ actor: PERSON.id })).toEqual(['intent.created int_1', 'intent.denied int_2']);
    expect(await found({ actor: PERSON.id, intentId: 'int_2' })).toEqual(['intent.denied int_2']);
    expect(await found({ actor: PERSON.id, intentId: 'int_3' })).toEqual([]);
    // The beginning is included, the end is not. Other zones and spellings mean the same moment.
    expect(await found({ from: '2027-01-02T00:00:00Z', to: '2027-01-03T00:00:00.000Z' })).toHaveLength(2);
    expect(await found({ from: '2027-01-02T01:00+01:00', to: '2027-01-03' })).toHaveLength(2);
    expect(await found({ from: '2027-01-03T00:00:00.001Z' })).toEqual([]);
  });

  test.each<[string, Partial<AuditQuery>]>([
    ['/cursor', { cursor: 'evt_1' }],
    ['/cursor', { cursor: '-1' }],
    ['/cursor', { cursor: '0' }],
    ['/cursor', { cursor: '1e3' }],
    ['/limit', { limit: 0 }],
    ['/limit', { limit: 201 }],
    ['/from', { from: 'yesterday' }],
    ['/from', { from: '2027-01-01T00:00:00' }],
    ['/from', { from: '5' }],
    ['/to', { to: '2027-13-01' }],
  ])('refuses a %s like %j', async (path, query) => {
    const refusal = await refusalOf(read(query));
    expect(refusal.code).toBe('invalid_fields');
    expect(refusal.details).toMatchObject({ fields: [{ path }] });
  });

  test('is refused to agents and executors, and treats another project as if it did not exist', async () => {
    const query = { projectId: t.projectId };
    expect((await refusalOf(readAudit(t.gate, t.agent, query))).code).toBe('forbidden');
    expect((await refusalOf(readAudit(t.gate, t.verifier, query))).code).toBe('forbidden');
    const elsewhere = { projectId: 'prj_other' };
    for (const caller of [t.agent, t.secret, t.owner.caller, OPERATOR]) {
      expect((await refusalOf(readAudit(t.gate, caller, elsewhere))).code).toBe('project_not_found');
    }
    const viewer = await t.addPerson('viewer@example.org', 'viewer', []);
    expect((await readAudit(t.gate, viewer.caller, query)).items.length).toBeGreaterThan(0);
    expect((await readAudit(t.gate, t.secret, query)).items.length).toBeGreaterThan(0);
  });
});

describe('exporting the audit log', () => {
  test('gives a file that verifies offline, with its own keys and with saved ones', async () => {
    await t.recordSealed(450);
    await t.record({
      type: 'intent.denied',
      actor: PERSON,
      data: { reason: 'no' },
      personal: ['/data/reason'],
    });
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    const file = await lines();
    const whole = { valid: true, count: file.length - 1, projectId: t.projectId, issuer: t.gate.issuer };
    expect(await verifyAuditExport(file)).toMatchObject({ ...whole, headSignedBy: 'keys_of_the_file' });
    expect(await verifyAuditExport(file, { jwks })).toMatchObject({ ...whole, headSignedBy: 'given_keys' });
    for (const line of file) expect(line).not.toMatch(/[\r\n]/);
  });

  test('ends at the head that was current at the request, however much is written meanwhile', async () => {
    await t.recordSealed(300);
    const head = await t.gate.storage.read.findChainHead(t.projectId);
    const file: string[] = [];
    for await (const line of await exportAudit(t.gate, OPERATOR, t.projectId)) {
      if (file.length % 100 === 1) await t.recordSealed(10);
      file.push(line);
    }
    expect(file).toHaveLength(1 + (head?.seq ?? 0));
    expect(await verifyAuditExport(file)).toMatchObject({ valid: true });
  });

  test('gives a file in which verification names the first line that was altered, removed or repeated', async () => {
    await t.recordSealed(10);
    const file = await lines();
    const at = 8;
    const line = file[at] ?? '';
    const record: AuditRecord = JSON.parse(line);
    const forgeries: [string, string[]][] = [
      ['content_altered', file.with(at, line.replace('access.refused', 'access.refusee'))],
      [
        'content_altered',
        file.with(at, JSON.stringify({ ...record, occurred_at: '2026-11-20T12:00:00.001Z' })),
      ],
      ['missing_record', file.toSpliced(at, 1)],
      ['out_of_order', file.toSpliced(at, 0, file[at - 1] ?? '')],
      ['tail_missing', file.slice(0, at)],
    ];
    for (const [problem, forged] of forgeries) {
      const found = await verifyAuditExport(forged);
      expect(found.valid, problem).toBe(false);
      expect(found.firstBad, problem).toMatchObject({ problem, line: at + 1 });
    }
  });

  test.runIf(ON_SQLITE)('fails for a damaged database instead of omitting what it cannot read', async () => {
    await t.recordSealed(3);
    t.tamper(`update events set data = '{' where seq = 2`);
    await expect(lines()).rejects.toThrow();
  });

  test('is refused before the first line is sent', async () => {
    expect((await refusalOf(exportAudit(t.gate, t.agent, t.projectId))).code).toBe('forbidden');
    expect((await refusalOf(exportAudit(t.gate, t.secret, 'prj_other'))).code).toBe('project_not_found');
  });
});
