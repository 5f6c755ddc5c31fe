/** A cursor with the ID of something that the caller cannot see does not even reveal that the thing exists. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let otherProject: string;
beforeEach(async () => {
  t = await openTestApp();
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Second',
    mode: 'test',
    ownerEmail: 'ann@example.org',
  });
  otherProject = project.id;
  await submitIntent(t.gate, t.agent, { action: 'a', params: {} });
});
afterEach(() => t.close());

const UNKNOWN = '0'.repeat(26);

/** The pages after both cursors, which must be the same. */
async function pagesAfter(path: string, key: string, stranger: string) {
  const prefix = stranger.split('_', 1)[0];
  const url = (cursor: string) => `${path.replace(':id', t.projectId)}?cursor=${cursor}`;
  const [known, unknown] = await Promise.all([
    t.call('GET', url(stranger), { key }),
    t.call('GET', url(`${prefix}_${UNKNOWN}`), { key }),
  ]);
  expect(known.status).toBe(200);
  expect(known.body).toEqual(unknown.body);
  return known.body;
}

it('another project’s intent as a cursor reveals nothing', async () => {
  const { key } = await createKey(t.gate, OPERATOR, {
    projectId: otherProject,
    kind: 'secret',
    name: 'theirs',
    ownerEmail: 'ann@example.org',
  });
  const made = await t.call('POST', '/v1/intents', { key, body: { action: 'b' } });
  for (const caller of [t.first.agent_key, t.first.secret_key, t.owner.token]) {
    const page = await pagesAfter('/api/intents', caller, String(made.body.id));
    expect(page).toEqual({ intents: [], next_cursor: null });
  }
});

it('another agent’s intent as a cursor reveals nothing', async () => {
  const other = await t.addAgent({ name: 'other' });
  const { intent } = await submitIntent(t.gate, other.caller, { action: 'b', params: {} });
  const page = await pagesAfter('/api/intents', t.first.agent_key, intent.id);
  expect(page).toEqual({ intents: [], next_cursor: null });
  const seen = await t.call('GET', `/api/intents?cursor=${intent.id}`, { key: t.first.secret_key });
  expect(seen.body.intents).toHaveLength(1);
});

it('another project’s agent as a cursor reveals nothing', async () => {
  const agent = await registerAgent(t.gate, OPERATOR, { projectId: otherProject, name: 'theirs' });
  const page = await pagesAfter('/v1/projects/:id/agents', t.first.secret_key, agent.id);
  expect(page).toEqual({ data: [], next_cursor: null });
});

it('another project’s key, or a person’s token, as a cursor reveals nothing', async () => {
  const { record } = await createKey(t.gate, OPERATOR, {
    projectId: otherProject,
    kind: 'verify',
    name: 'theirs',
  });
  for (const id of [record.id, t.owner.caller.credentialId]) {
    const page = await pagesAfter('/v1/projects/:id/keys', t.first.secret_key, id);
    expect(page).toEqual({ data: [], next_cursor: null });
  }
});
