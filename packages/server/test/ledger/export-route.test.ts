/** `GET /v1/projects/:id/audit/export`: the file that `permitry audit verify` reads, over HTTP. */
import { type AuditExportPart, verifyAuditExport } from '@permitry/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordEvent } from '../../src/gate/audit/record-event.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http/open-test-app.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openDocumentedApp();
});
afterEach(() => t.close());

function exported(key: string, projectId = t.projectId, query = '') {
  return t.call('GET', `/v1/projects/${projectId}/audit/export${query}`, { key });
}

interface Part {
  lines: string[];
  header: { head: string | null; part: AuditExportPart };
  seqs: number[];
}

async function part(query: string): Promise<Part> {
  const { status, text } = await exported(t.first.secret_key, t.projectId, query);
  expect(status).toBe(200);
  const lines = text.trimEnd().split('\n');
  const [header, ...records] = lines.map((line) => JSON.parse(line));
  return { lines, header, seqs: records.map(({ seq }) => seq) };
}

/** The last record so far. */
async function end(): Promise<number> {
  await t.gate.ledger.sealNow(t.projectId);
  return (await t.gate.storage.read.findChainHead(t.projectId))?.seq ?? 0;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

async function record(count: number): Promise<void> {
  await t.gate.storage.transaction(async (tx) => {
    for (let i = 0; i < count; i++) {
      await recordEvent(t.gate, tx, {
        projectId: t.projectId,
        type: 'access.refused',
        occurredAt: t.gate.clock.now(),
        actor: { type: 'system', id: 'system', display: 'the gate' },
        data: { route: 'POST /v1/intents', required: `scope ${i}` },
      });
    }
  });
}

it('an export contains every record so far, and verifies', async () => {
  await record(450);
  const viewer = await t.addPerson('vera@example.org', 'viewer');
  const { status, headers, text } = await exported(viewer.token);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/x-ndjson');
  expect(headers['content-disposition']).toMatch(
    /^attachment; filename="audit-prj_\w+-\d{4}-\d\d-\d\d\.jsonl"$/,
  );
  const lines = text.split('\n');
  expect(lines.pop()).toBe('');
  const verdict = await verifyAuditExport(lines, {});
  expect(verdict).toMatchObject({ valid: true, projectId: t.projectId, count: lines.length - 1 });
  expect(lines.length).toBeGreaterThan(450);
});

it('a truncated file does not verify', async () => {
  await record(3);
  const lines = (await exported(t.first.secret_key)).text.trimEnd().split('\n');
  expect(await verifyAuditExport(lines.slice(0, -1), {})).toMatchObject({ valid: false });
});

it('agents and executors get no export, and another project appears not to exist', async () => {
  for (const key of [t.first.agent_key, t.first.verifier_key])
    expectRefusal(await exported(key), 403, 'forbidden', { required: 'audit:read' });
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  expectRefusal(await exported(t.first.secret_key, project.id), 404, 'project_not_found');
});

it('a range of sequence numbers includes the first, excludes the last, and verifies', async () => {
  await record(450);
  const last = await end();
  const whole = (await exported(t.first.secret_key)).text.trimEnd().split('\n').slice(1);
  for (const [query, from, to] of [
    ['?from=1&to=2', 1, 2],
    ['?from=5&to=405', 5, 405],
    [`?from=${last}`, last, last + 1],
    ['?to=3', 1, 3],
    ['?from=7&to=7', 7, 7],
    ['?to=1', 1, 1],
    [`?from=${last + 1}`, last + 1, last + 1],
    [`?from=${last - 1}&to=${last + 5000}`, last - 1, last + 1],
  ] as const) {
    const { lines, header, seqs } = await part(query);
    expect(seqs).toEqual(range(from, to));
    expect(lines.slice(1)).toEqual(whole.slice(from - 1, to - 1));
    expect(header.part).toMatchObject({ after: { seq: from - 1 }, through: { seq: to - 1 } });
    expect(header.head === null).toBe(to <= last);
    expect(await verifyAuditExport(lines)).toMatchObject({ valid: true, count: to - from });
  }
});

it('a range of times includes the start and excludes the end', async () => {
  const before = await end();
  const at: string[] = [];
  for (let hour = 0; hour < 5; hour++) {
    t.clock.advance(3600);
    at.push(t.gate.clock.now());
    await record(7);
  }
  const [first = '', second = '', third = ''] = at;
  const { seqs, lines } = await part(`?from=${first}&to=${second}`);
  expect(seqs).toEqual(range(before + 1, before + 8));
  expect(await verifyAuditExport(lines)).toMatchObject({ valid: true, headSignedBy: null });
  expect((await part(`?from=${second}&to=${before + 10}`)).seqs).toEqual(range(before + 8, before + 10));
  expect((await part('?to=2000-01-01')).seqs).toEqual([]);
  expect((await part('?from=2999-01-01')).seqs).toEqual([]);
  expect((await part('?from=2000-01-01&to=2999-01-01')).seqs).toEqual(range(1, before + 36));
  // However far the log has grown in between, the second part begins where the first one ended.
  const early = await part(`?to=${third}`);
  await record(300);
  const late = await part(`?from=${third}`);
  expect(late.header.part.after).toEqual(early.header.part.through);
});

it('two adjacent ranges verify one after the other, and verification detects a record missing between them', async () => {
  await record(20);
  const last = await end();
  const earlier = await part('?to=11');
  const sinceHead = earlier.header.part.through;
  expect(await verifyAuditExport((await part('?from=11')).lines, { sinceHead })).toMatchObject({
    valid: true,
    head: { seq: last },
    headSignedBy: 'keys_of_the_file',
  });
  const gap = await verifyAuditExport((await part('?from=12')).lines, { sinceHead });
  expect(gap.firstBad).toMatchObject({ seq: 11, problem: 'missing_record' });
});

it('an interrupted export can continue with the remaining records', async () => {
  await record(20);
  const last = await end();
  const whole = (await exported(t.first.secret_key)).text.trimEnd().split('\n');
  await record(5);
  const rest = await part(`?from=9&to=${last + 1}`);
  expect(await verifyAuditExport([...whole.slice(0, 9), ...rest.lines.slice(1)])).toMatchObject({
    valid: true,
    count: last,
    headSignedBy: 'keys_of_the_file',
  });
});

it.each([
  ['a start that is neither a number nor a time', '?from=0', '/from'],
  ['a time without a zone', '?to=2026-11-01T00:00:00', '/to'],
  ['a start beyond the end of the log', '?from=100000', '/from'],
  ['reversed sequence numbers', '?from=5&to=4', '/to'],
  ['reversed times', '?from=2026-11-02&to=2026-11-01', '/to'],
  ['an end time before the start number', '?from=3&to=2000-01-01', '/to'],
])('an export with %s is refused', async (_, query, path) => {
  expectFields(await exported(t.first.secret_key, t.projectId, query), 'invalid_request', path);
});
