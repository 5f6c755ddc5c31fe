/** Webhooks from the command line: on the gate's own storage, and at a remote gate with a person's access token. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createWebhook } from '../../server/src/gate/webhooks/create-webhook.ts';
import { freshDirectory, initialise, permitry, permitryJson } from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

interface Shown {
  id: string;
  url: string;
  description: string | null;
  event_types: string[] | null;
  enabled: boolean;
  secret?: string;
  previous_secrets_end_at: string | null;
}
type Queued = { id: string; kind: string; state: string; event_type: string; webhook_id: string };
type Run = (...args: string[]) => ReturnType<typeof permitry>;
type Json = <T>(...args: string[]) => Promise<T>;

const ADDRESS = 'https://hooks.example.com/permitry';

async function inDirectory(): Promise<{ run: Run; json: Json }> {
  const at = ['--data', freshDirectory()];
  await initialise(String(at[1]));
  return {
    run: (...args) => permitry(['webhook', ...args, ...at]),
    json: (...args) => permitryJson('webhook', ...args, ...at),
  };
}

function elsewhere(t: ServedGate, key: string): { run: Run; json: Json } {
  return {
    run: (...args) => t.as(key, 'webhook', ...args, '--url', t.url),
    json: (...args) => t.json(key, 'webhook', ...args, '--url', t.url),
  };
}

const PLACES: [string, () => Promise<{ run: Run; json: Json }>][] = [
  ['in a data directory', inDirectory],
  [
    'at a remote gate in test mode, with an admin’s token',
    async () => {
      const t = await serveGate({ mode: 'test' });
      return elsewhere(t, await t.addPerson('ann@example.org', 'admin', ['manage']));
    },
  ],
];

describe.each(PLACES)('permitry webhook %s', (_where, open) => {
  test('adds, lists, tests, replays, rotates and removes webhooks, and lists deliveries', async () => {
    const { run, json } = await open();
    const added = await run(
      'add',
      ADDRESS,
      '--event',
      'intent.*',
      '--event',
      'key.revoked',
      '--description',
      'ledger',
    );
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_[\w+/=]+\n$/) });
    expect(added.stderr).toContain(ADDRESS);
    const [webhook, ...others] = await json<Shown[]>('list');
    expect(others).toEqual([]);
    expect(webhook).toMatchObject({
      url: ADDRESS,
      description: 'ledger',
      event_types: ['intent.*', 'key.revoked'],
      enabled: true,
    });
    expect(webhook).not.toHaveProperty('secret');
    expect((await run('list')).stdout).toMatch(/ledger +intent\.\*, key\.revoked +active +never/);

    const queued = await json<Queued>('test', 'ledger');
    expect(queued).toMatchObject({ kind: 'test', webhook_id: webhook?.id, event_type: 'webhook.test' });
    const [sent] = await json<Queued[]>('deliveries', ADDRESS, '--limit', '1');
    expect(sent?.id).toBe(queued.id);
    expect((await run('deliveries', 'ledger')).stdout).toContain('webhook.test');

    expect(await json('replay', 'ledger', '--after-seq', '0', '--event', 'key.revoked')).toEqual({
      replay_id: expect.any(String),
      queued: 0,
      next_after_seq: null,
    });

    const rotated = await run('rotate', String(webhook?.id));
    expect(rotated).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The old secret stays valid until'),
    });
    expect(rotated.stdout).toMatch(/^whsec_/);
    expect(rotated.stdout).not.toBe(added.stdout);
    const ended = await json<Shown>('rotate', 'ledger', '--overlap', '0s');
    expect(ended.previous_secrets_end_at).toBeNull();

    expect(await run('remove', 'ledger')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pass --yes'),
    });
    expect(await json<Shown[]>('list')).toHaveLength(1);
    expect(await json('remove', 'ledger', '--yes')).toEqual({ id: webhook?.id, removed: true });
    expect((await run('list')).stderr).toContain('no webhooks');
  });

  test('explains wrong input and changes nothing', async () => {
    const { run, json } = await open();
    for (const [refused, code, words] of [
      [await run('add', 'https://224.0.0.1/x'), 2, 'private'],
      [await run('add', 'http://hooks.example.com/x'), 2, 'https://'],
      [
        await run('add', ADDRESS, '--event', 'moon.landed'),
        2,
        'Must be an event type, or a group such as intent.*.\n',
      ],
      [await run('test', 'nobody'), 1, 'no webhook nobody'],
      [await run('replay', 'nobody'), 2, '--delivery'],
      [await run('replay', 'nobody', '--delivery', 'dlv_x', '--from', '2026-01-01'), 2, 'not both'],
      [await run('rotate', 'nobody', '--overlap', '8d'), 2, '7d'],
      [await run('list', '--project', 'Nowhere'), expect.any(Number), 'Nowhere'],
    ] as const) {
      expect(refused).toMatchObject({ code, stdout: '' });
      expect(refused.stderr).toContain(words);
    }
    expect(await json<Shown[]>('list')).toEqual([]);
  });
});

test('permitry webhook in a directory accepts a private address and says that gates must allow it', async () => {
  const { run, json } = await inDirectory();
  const said = /private.*gates whose PERMITRY_ALLOW_PRIVATE_TARGETS/;
  const added = await run('add', 'http://127.0.0.1:9000/x');
  expect(added).toMatchObject({ code: 0, stderr: expect.stringMatching(said) });
  process.env.PERMITRY_ALLOW_PRIVATE_TARGETS = '10.1.0.0/16';
  onTestFinished(() => void delete process.env.PERMITRY_ALLOW_PRIVATE_TARGETS);
  expect((await run('add', 'https://10.1.2.3/x')).stderr).not.toMatch(said);
  expect((await run('add', 'https://10.2.2.3/x')).stderr).toMatch(said);
  expect(await json<Shown[]>('list')).toHaveLength(3);
});

test('permitry webhook at a remote gate is refused a private address by its setting', async () => {
  const t = await serveGate({ mode: 'test' });
  const { run, json } = elsewhere(t, await t.addPerson('ann@example.org', 'admin', ['manage']));
  const refused = await run('add', 'https://127.0.0.1/x');
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('private') });
  expect(await json<Shown[]>('list')).toEqual([]);
});

test('at a remote gate in live mode, programs can list, test and replay webhooks, but not create, rotate or remove them', async () => {
  const t = await serveGate();
  const { project_id: projectId } = t.first;
  const made = await createWebhook(
    { ...t.gate, reach: { ...t.gate.reach, findTargetProblem: () => undefined } },
    { kind: 'operator', credentialId: 'operator', display: 'operator' },
    // No such event happens in this test, so no delivery changes the state of the webhook.
    { projectId, url: ADDRESS, eventTypes: ['policy.updated'] },
  );
  const before = await t.gate.storage.read.listWebhooks(projectId);
  const token = await t.addPerson('ann@example.org', 'admin', ['manage']);
  for (const key of [t.first.secret_key, token]) {
    const { run, json } = elsewhere(t, key);
    for (const args of [
      ['add', 'https://hooks.example.com/other'],
      ['rotate', made.webhook.id],
      ['remove', made.webhook.id, '--yes'],
    ]) {
      const refused = await run(...args);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toContain(
        'sign in to the dashboard, or use the command line on the gate’s machine',
      );
    }
    expect(await json<Shown[]>('list')).toHaveLength(1);
  }
  expect(await t.gate.storage.read.listWebhooks(projectId)).toEqual(before);
  const service = elsewhere(t, t.first.secret_key);
  expect(await service.json<Queued>('test', made.webhook.id)).toMatchObject({ kind: 'test' });
});

test('at a remote gate in test mode, managing webhooks needs the role and a token that may manage', async () => {
  const t = await serveGate({ mode: 'test' });
  const reads = await t.addPerson('bo@example.org', 'admin', []);
  const approver = await t.addPerson('chris@example.org', 'approver', ['manage']);
  for (const key of [reads, approver, t.first.agent_key]) {
    const refused = await elsewhere(t, key).run('add', ADDRESS);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
  }
  expect(await t.gate.storage.read.listWebhooks(t.first.project_id)).toEqual([]);
});

test('no answer of a remote gate can control the terminal', async () => {
  const t = await serveGate();
  const steers = (text: string) => `${text}\u001b[2J\u001b]0;owned\u0007`;
  const webhook = {
    ...{ id: steers('whk_1'), url: steers(ADDRESS), description: 'ledger', event_types: null, enabled: true },
    ...{ failing_since: steers('now'), paused_until: null, last_delivered_at: steers('now') },
  };
  const told = {
    ...{ ...webhook, secret: steers('whsec_x'), previous_secrets_end_at: steers('now') },
    ...{ replay_id: steers('rpl_1'), queued: 1, next_after_seq: steers('1') },
    ...{ kind: 'user', projects: [{ id: 'prj_1', name: 'p', mode: 'live', role: 'admin' }], data: [webhook] },
  };
  const server = createServer((_request, response) => void response.end(JSON.stringify(told)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const args of [
    ['add', ADDRESS],
    ['list'],
    ['test', 'ledger'],
    ['replay', 'ledger', '--after-seq', '0'],
    ['replay', 'ledger', '--delivery', 'dlv_1'],
    ['rotate', 'ledger'],
    ['remove', 'ledger', '--yes'],
  ]) {
    const { code, stdout, stderr } = await t.as(t.first.secret_key, 'webhook', ...args, '--url', url);
    expect([args, code, stdout + stderr]).toEqual([args, 0, expect.stringMatching(/^(?:\P{C}|\n)+$/u)]);
  }
});
