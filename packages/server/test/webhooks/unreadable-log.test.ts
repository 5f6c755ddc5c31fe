/** A project whose log is damaged delays no other project, and loses no event once it is repaired. */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registerAgent } from '../../src/gate/agents/register-agent.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { databaseFile } from '../../src/storage/sqlite/open-database.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openWebhooks, type WebhookGate } from './open-webhooks.ts';

let t: WebhookGate;
beforeEach(async () => {
  t = await openWebhooks();
});
afterEach(() => t.close());

/** Runs SQL on the database itself, bypassing the gate. */
async function run(sql: string): Promise<void> {
  if ('url' in t.database) {
    await withClient(t.database.url, (client) => client.query(sql));
    return;
  }
  const file = new DatabaseSync(databaseFile(t.dataDir));
  file.exec(sql);
  file.close();
}

/** Events of different agents are sent side by side, so the order is that of the log. */
const agentsSent = (path: string) =>
  t.endpoint
    .at(path)
    .map(({ body: { data } }) => data as { seq: number; details: { agent_id: string } })
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ details }) => details.agent_id);

test('a project whose log cannot be read delays no other project, and its events are sent in order after the repair', async () => {
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'live',
    ownerEmail: 'bob@example.org',
  });
  for (const projectId of [t.projectId, project.id]) {
    await t.hook(`/${projectId}`, { projectId, eventTypes: ['agent.*'] });
    await t.gate.ledger.sealNow(projectId);
  }
  // The damaged project comes first in the order in which projects are read.
  const [damaged = '', sound = ''] = await t.gate.storage.read.listProjectsToDeliver('webhooks');
  expect([damaged, sound].toSorted()).toEqual([t.projectId, project.id].toSorted());
  const register = async (projectId: string, name: string) => {
    const { id } = await registerAgent(t.gate, OPERATOR, { projectId, name });
    await t.gate.ledger.sealNow(projectId);
    return id;
  };
  const first = await register(damaged, 'first');
  const place = `where project_id = '${damaged}' and type = 'agent.registered'`;
  await run(`update events set data = '{' || data ${place}`);

  t.webhooks.start();
  const elsewhere = await register(sound, 'elsewhere');
  await expect.poll(() => agentsSent(`/${sound}`), { timeout: 5000 }).toEqual([elsewhere]);
  const second = await register(damaged, 'second');
  await expect.poll(() => t.failures.length, { timeout: 5000 }).toBeGreaterThan(1);
  expect(agentsSent(`/${damaged}`)).toEqual([]);

  await run(`update events set data = substr(data, 2) ${place} and data like '{{%'`);
  await expect.poll(() => agentsSent(`/${damaged}`), { timeout: 5000 }).toEqual([first, second]);
  expect(new Set(t.failures.splice(0).map(({ what }) => what))).toEqual(
    new Set([`the log of ${damaged} could not be read for webhooks`]),
  );
});
