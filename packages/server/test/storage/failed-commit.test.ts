import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { databaseFile } from '../../src/storage/sqlite/open-database.ts';
import { holdWriter } from '../fixtures/hold-writer.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
});
afterEach(() => t.close());

const OPEN_TO_ALL = {
  name: 'open',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [{ name: 'all', match: { action: '*' }, effect: 'allow' }],
};

/** Every policy written from now on is accepted, and then lost with its whole group at the commit. */
function failCommitsOfPolicies(): () => void {
  const database = new DatabaseSync(databaseFile(t.dataDir));
  database.exec(`
    create table at_commit (project_id text references projects (id) deferrable initially deferred);
    create trigger fail_at_commit after insert on policy_versions
      begin insert into at_commit values ('prj_none'); end`);
  return () => {
    database.exec('drop trigger fail_at_commit');
    database.close();
  };
}

it('settings that were read in a group whose commit failed never take effect', async () => {
  const key = t.first.agent_key;
  const made = await t.call('POST', '/v1/intents', { key, body: { action: 'deploy', expires_in: 5 } });
  t.clock.advance(6);
  const { headers } = await t.owner.signIn();
  const repair = failCommitsOfPolicies();
  const writer = await holdWriter(t);
  const put = await writer.queue(() =>
    t.call('PUT', `/v1/projects/${t.projectId}/policies`, { headers, body: OPEN_TO_ALL }),
  );
  // This request writes the expiry in the same group, and continues to read when that write fails.
  const redeem = await writer.queue(() =>
    t.call('POST', `/v1/intents/${made.body.id}/permit`, {
      key,
      body: {},
      headers: { 'idempotency-key': 'k1' },
    }),
  );
  await writer.release();
  expect((await put.running).status).toBe(503);
  expect((await redeem.running).status).toBe(410);
  repair();

  // The stop gets the revision that the lost policy would have had.
  const stop = await t.call('POST', `/v1/projects/${t.projectId}/stop`, { key: t.owner.token, body: {} });
  expect(stop.status).toBe(200);
  const create = () => t.call('POST', '/v1/intents', { key, body: { action: 'database.drop' } });
  const stopped = await create();
  expect(stopped.status).toBe(403);
  expect(stopped.body).toMatchObject({ error: { code: 'project_stopped' } });
  await t.call('POST', `/v1/projects/${t.projectId}/start`, { headers, body: {} });
  expect((await create()).body).toMatchObject({ status: 'pending' });
});
