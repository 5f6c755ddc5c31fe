/** Webhooks from the command line: on the gate's own storage, and at a gate elsewhere with a person's token. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
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
    'at a gate elsewhere, with an admin’s token',
    async () => {
      const t = await serveGate();
      return elsewhere(t, await t.addPerson('ann@example.org', 'admin', ['manage']));
    },
  ],
];

describe.each(PLACES)('permitry webhook %s', (_where, open) => {
  test('adds, lists, tests, shows what is sent, sends again, rotates and removes', async () => {
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
    expect(rotated).toMatchObject({ code: 0, stderr: expect.stringContaining('signs beside it until') });
    expect(rotated.stdout).toMatch(/^whsec_/);
    expect(rotated.stdout).not.toBe(added.stdout);
    const ended = await json<Shown>('rotate', 'ledger', '--overlap', '0s');
    expect(ended.previous_secrets_end_at).toBeNull();

    expect(await run('remove', 'ledger')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add --yes'),
    });
    expect(await json<Shown[]>('list')).toHaveLength(1);
    expect(await json('remove', 'ledger', '--yes')).toEqual({ id: webhook?.id, removed: true });
    expect((await run('list')).stderr).toContain('no webhooks');
  });

  test('names what is wrong, and changes nothing', async () => {
    const { run, json } = await open();
    for (const [refused, code, words] of [
      [await run('add', 'https://127.0.0.1/x'), 2, 'private'],
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

test('at a gate elsewhere a person needs the role and a token that may manage', async () => {
  const t = await serveGate();
  const reads = await t.addPerson('bo@example.org', 'admin', []);
  const approver = await t.addPerson('chris@example.org', 'approver', ['manage']);
  for (const key of [reads, approver, t.first.secret_key, t.first.agent_key]) {
    const refused = await elsewhere(t, key).run('add', ADDRESS);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
  }
  expect(await t.gate.storage.read.listWebhooks(t.first.project_id)).toEqual([]);
});

test('nothing a gate elsewhere answers steers the terminal', async () => {
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
