/** `GET /v1/projects/:id/audit/export`: the file that `permitry audit verify` reads, over HTTP. */
import { verifyAuditExport } from '@permitry/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordEvent } from '../../src/gate/audit/record-event.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import type { TestApp } from '../http-shared/open-test-app.ts';
import { expectRefusal } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openDocumentedApp();
});
afterEach(() => t.close());

function exported(key: string, projectId = t.projectId) {
  return t.call('GET', `/v1/projects/${projectId}/audit/export`, { key });
}

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

it('every record up to now, in a file that verifies', async () => {
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

it('one that was cut short does not verify', async () => {
  await record(3);
  const lines = (await exported(t.first.secret_key)).text.trimEnd().split('\n');
  expect(await verifyAuditExport(lines.slice(0, -1), {})).toMatchObject({ valid: false });
});

it('agents and executors get none, and strangers hear of no project', async () => {
  for (const key of [t.first.agent_key, t.first.verifier_key])
    expectRefusal(await exported(key), 403, 'forbidden', { required: 'audit:read' });
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  expectRefusal(await exported(t.first.secret_key, project.id), 404, 'project_not_found');
});
