/**
 * Texts of the audit log that may name people. They are stored beside the chain, so that erasing the texts leaves the
 * chain intact.
 */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SealedEvent } from '../../src/gate/audit/audit-event.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { databaseFile } from '../../src/storage/sqlite/open-database.ts';
import { REFUND } from '../fixtures/approved-intent.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

const COMMITTED = { digest: expect.stringMatching(/^sha256:/), salt: expect.any(String) };

/** Sets text and salt to null, as the law may require. */
function erase({ id, data, commitments }: SealedEvent, member: string): void {
  const erased = { ...commitments, [`/data/${member}`]: { ...commitments[`/data/${member}`], salt: null } };
  const database = new DatabaseSync(databaseFile(t.dataDir));
  const { changes } = database
    .prepare('update events set data = ?, commitments = ? where id = ?')
    .run(JSON.stringify({ ...data, [member]: null }), JSON.stringify(erased), id);
  database.close();
  expect(changes).toBe(1);
}

async function verified(): Promise<unknown> {
  const url = `/v1/projects/${t.projectId}/audit/verify`;
  return (await t.call('GET', url, { key: t.owner.token })).body.valid;
}

async function onlyEvent(type: 'access.refused' | 'intent.created'): Promise<SealedEvent> {
  const events = await t.events(t.projectId, type);
  expect(events).toHaveLength(1);
  return events[0] as SealedEvent;
}

it('the event of a refusal stores the named person outside the chain', async () => {
  const bob = await t.addPerson('bob@example.org', 'approver');
  const { intent } = await submitIntent(t.gate, t.agent, { ...REFUND, approvers: ['bob@example.org'] });
  const refused = await t.call('POST', `/v1/intents/${intent.id}/approve`, { key: t.owner.token, body: {} });
  expect(refused.body).toMatchObject({ error: { code: 'forbidden', required: bob.email } });

  const event = await onlyEvent('access.refused');
  expect(event.data).toMatchObject({ required: bob.email });
  expect(event.commitments).toMatchObject({ '/data/required': COMMITTED, '/actor/display': COMMITTED });
  expect(await verified()).toBe(true);
  erase(event, 'required');
  expect(await verified()).toBe(true);
});

it('the event of a request stores a service’s own source name outside the chain', async () => {
  await submitIntent(t.gate, t.secret, { ...REFUND, source: 'job of Ann Example' });
  const event = await onlyEvent('intent.created');
  expect(event.data).toMatchObject({ source: 'job of Ann Example' });
  expect(event.commitments).toMatchObject({ '/data/source': COMMITTED });
  erase(event, 'source');
  expect(await verified()).toBe(true);
});

it('the name of a registered agent and a missing source are not stored outside the chain', async () => {
  await submitIntent(t.gate, t.agent, REFUND);
  expect((await onlyEvent('intent.created')).commitments).toEqual({});
  await submitIntent(t.gate, t.secret, REFUND);
  const [, event] = await t.events(t.projectId, 'intent.created');
  expect(event?.commitments).not.toHaveProperty('/data/source');
});

it('verification detects a replaced text', async () => {
  await submitIntent(t.gate, t.secret, { ...REFUND, source: 'job of Ann Example' });
  await onlyEvent('intent.created');
  const database = new DatabaseSync(databaseFile(t.dataDir));
  database.exec(`update events set data = replace(data, 'Ann', 'Bob')`);
  database.close();
  expect(await verified()).toBe(false);
});
