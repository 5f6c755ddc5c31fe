/**
 * The whole gate behind its HTTP interface, with everybody that an attacker could be or meet. It can compare all stored
 * data, so that a test can show that nothing changed.
 */
import { join } from 'node:path';
import type { JsonObject } from '@permitry/protocol';
import { expect } from 'vitest';
import { putPolicy } from '../../packages/server/src/gate/policy-management/put-policy.ts';
import { addUpstream as addServer } from '../../packages/server/src/gate/upstreams/add-upstream.ts';
import { approveTools } from '../../packages/server/src/gate/upstreams/approve-tools.ts';
import { readDefinitions } from '../../packages/server/src/gate/upstreams/read-definition.ts';
import { recordPoll } from '../../packages/server/src/gate/upstreams/record-poll.ts';
import { createWebhook } from '../../packages/server/src/gate/webhooks/create-webhook.ts';
import { testWebhook } from '../../packages/server/src/gate/webhooks/request-deliveries.ts';
import { OPERATOR } from '../../packages/server/test/fixtures/open-test-gate.ts';
import {
  openTestApp,
  type TestApp,
  type TestAppOptions,
} from '../../packages/server/test/http/open-test-app.ts';
import { openWindow } from './open-window.ts';
import { type Surface, surfacesOf } from './surfaces.ts';

export type Answer = Awaited<ReturnType<TestApp['call']>>;

/** The part of a written event that tests need. */
interface WrittenEvent {
  type: string;
  projectId: string;
  intentId: string | null;
  actorId: string;
  data: Record<string, unknown>;
}

export interface Arena extends TestApp {
  surfaces: readonly [Surface, Surface];
  /** The file that holds everything, when the gate uses SQLite. */
  databaseFile: string;
  /** Adds a webhook to the first project, with a delivery. Nothing is sent. */
  addWebhook(): Promise<{ webhook: string; delivery: string }>;
  /** Adds an MCP server to the first project, with an approved tool. Nobody calls it. */
  addUpstream(): Promise<{ upstream: string }>;
  /** Publishes a policy as the operator. */
  putPolicy(fallback: JsonObject, rules?: readonly JsonObject[], more?: JsonObject): Promise<void>;
  /** Every row of every table except the ledger, remembered responses and times of last use. */
  snapshot(): Record<string, unknown[]>;
  rowsOf(table: 'issued' | 'approvals', intentId: string): Record<string, unknown>[];
  remembered(): Record<string, unknown>[];
  /** Events written so far, sealed or not, in order; or those after a position that `now()` returned. */
  written(after?: number): readonly WrittenEvent[];
  /** The position of the last event. */
  now(): number;
  /** The types of one intent's events, in order. */
  story(intentId: string): readonly string[];
  /** Runs an attack and fails if any stored data changed, except for events of exactly these types. */
  expectUnchanged<T>(attack: () => Promise<T>, events?: readonly string[]): Promise<T>;
}

export async function openArena(options: TestAppOptions = {}): Promise<Arena> {
  const t = await openTestApp(options);
  const databaseFile = join(t.dataDir, 'permitry.sqlite');
  const window = openWindow(t.database);

  let last: { version: unknown; picture: Record<string, unknown[]> } | undefined;
  /** Reuses the last copy of the data if nothing was written since. */
  function snapshot(): Record<string, unknown[]> {
    const version = window.version?.();
    if (version === undefined || version !== last?.version) last = { version, picture: read() };
    return last.picture;
  }

  function read(): Record<string, unknown[]> {
    return Object.fromEntries(
      TABLES.map((table) => [
        table,
        window
          .all(`select * from ${table} order by 1, 2`)
          .map(({ last_used_at: _used, last_seen_at: _seen, ...row }) => row),
      ]),
    );
  }

  const now = (): number =>
    Number(window.all('select coalesce(max(position), 0) as last from events')[0]?.last);

  const eventsAfter =
    'select type, project_id, intent_id, actor_id, data from events where position > ? order by position';
  function written(after = 0): readonly WrittenEvent[] {
    return window.all(eventsAfter, after).map((row) => ({
      type: String(row.type),
      projectId: String(row.project_id),
      intentId: row.intent_id === null ? null : String(row.intent_id),
      actorId: String(row.actor_id),
      data: JSON.parse(String(row.data)) as Record<string, unknown>,
    }));
  }

  return {
    ...t,
    surfaces: surfacesOf(t),
    databaseFile,
    addWebhook: () => addWebhook(t),
    addUpstream: () => addUpstream(t),
    async putPolicy(fallback, rules = [], more = {}) {
      const document = { name: 'p', default: fallback, rules: [...rules], ...more };
      await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document });
    },
    snapshot,
    rowsOf: (table, intentId) => window.all(ROWS_OF[table], intentId),
    remembered: () => window.all('select * from idempotency_records order by seq'),
    written,
    now,
    story: (intentId) => written().flatMap((event) => (event.intentId === intentId ? [event.type] : [])),
    async expectUnchanged(attack, events = []) {
      const before = snapshot();
      const start = now();
      const result = await attack();
      expect(written(start).map(({ type }) => type)).toEqual(events);
      expect(snapshot()).toEqual(before);
      return result;
    },
    async close() {
      window.close();
      await t.close();
    },
  };
}

const TABLES = [
  'projects',
  'users',
  'members',
  'member_groups',
  'group_members',
  'policy_versions',
  'agents',
  'api_keys',
  'intents',
  'issued',
  'superseded_permits',
  'approvals',
  'sessions',
  'passwords',
  'totp',
  'recovery_codes',
  'sign_in_tickets',
  'one_time_links',
  'invitations',
  'identities',
  'passkeys',
  'device_keys',
  'erased_receipts',
  'retention',
  'retention_waiting',
  'unfinished_erasures',
  'webhooks',
  'deliveries',
  'upstreams',
  'upstream_tools',
] as const;

const ROWS_OF = {
  issued:
    'select issued.* from issued join intents on intents.receipt_index = issued.receipt_index where intents.id = ?',
  approvals: 'select * from approvals where intent_id = ? order by seq',
};

async function addWebhook(t: TestApp): Promise<{ webhook: string; delivery: string }> {
  const { projectId } = t;
  const gate = { ...t.gate, reach: { ...t.gate.reach, findTargetProblem: () => undefined } };
  const { webhook } = await createWebhook(gate, OPERATOR, { projectId, url: 'https://hooks.example.com/x' });
  const delivery = await testWebhook(gate, OPERATOR, { projectId, webhookId: webhook.id });
  return { webhook: webhook.id, delivery: delivery.id };
}

async function addUpstream(t: TestApp): Promise<{ upstream: string }> {
  const { projectId } = t;
  const gate = { ...t.gate, reach: { ...t.gate.reach, findTargetProblem: () => undefined } };
  const upstream = await addServer(gate, OPERATOR, {
    projectId,
    name: 'tools',
    settings: {
      kind: 'http',
      url: 'https://tools.example.com/x',
      headers: { authorization: 'Bearer secret-of-an-upstream' },
    },
  });
  const tools = readDefinitions(upstream.name, [{ name: 'read', inputSchema: { type: 'object' } }]);
  const server = { name: 'tools', version: '1', protocol: '2025-11-25' };
  await recordPoll(gate, upstream, { kind: 'seen', server, tools });
  const approved = [{ name: 'read', hash: tools[0]?.definition?.hash ?? '' }];
  await approveTools(gate, OPERATOR, { projectId, upstreamId: upstream.id, tools: approved });
  return { upstream: upstream.id };
}
