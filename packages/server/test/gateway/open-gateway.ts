/** The gateway of surface A over a real gate, with a policy that leads to every possible outcome. */
import type { JsonObject } from '@permitry/protocol';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../http/open-test-app.ts';

type Answer = Awaited<ReturnType<TestApp['call']>>;

export interface TestGateway extends TestApp {
  /** `POST /api/mcp-gateway`. Default: the first agent's key. */
  callTool(
    body: object,
    options?: { key?: string; headers?: Record<string, string>; wait?: number },
  ): Promise<Answer>;
  /** The records of the mock connector, newest first. */
  done(connector: string): Promise<readonly { intent_id: string; tool: string; arguments: object }[]>;
  /** An intent's state, as the owner reads it. */
  intent(intentId: unknown): Promise<Record<string, unknown>>;
  approve(intentId: unknown): Promise<void>;
  /** Rules in surface B's form. */
  setPolicy(rules: readonly JsonObject[]): Promise<void>;
}

/** Status and code of a refusal. */
export function codeOf({ status, body }: Answer): [number, string | undefined] {
  return [status, (body.error as { code?: string } | undefined)?.code];
}

/** Mail is free, deleting rows is forbidden, and everything else needs approval. */
export const RULES = [
  { name: 'mails are free', match: { action: 'mail.send' }, effect: 'allow' },
  {
    name: 'refunds of one are free',
    match: { action: 'payments.refund' },
    when: 'params.amount == 1.0',
    effect: 'allow',
  },
  {
    name: 'rows stay',
    match: { action: 'database.delete_rows' },
    effect: 'deny',
    reason: 'Not by an agent.',
  },
];

export const MAIL = { to: 'ann@example.org', subject: 'Hello', text: 'How are you?' };
export const REFUND = { charge: 'ch_1', amount: 120.5, currency: 'EUR' };

export async function openGateway(options: TestAppOptions = {}): Promise<TestGateway> {
  const t = await openTestApp(options);
  const gateway: TestGateway = {
    ...t,
    callTool: (body, { key = t.first.agent_key, headers = {}, wait } = {}) =>
      t.call('POST', `/api/mcp-gateway${wait === undefined ? '' : `?wait=${wait}`}`, { key, body, headers }),
    async done(connector) {
      const url = `/v1/projects/${t.projectId}/mock-connectors/${connector}`;
      const { body } = await t.call('GET', url, { key: t.first.secret_key });
      return body.data as { intent_id: string; tool: string; arguments: object }[];
    },
    async intent(intentId) {
      return (await t.call('GET', `/v1/intents/${intentId}`, { key: t.first.secret_key })).body;
    },
    async approve(intentId) {
      const { status, text } = await t.call('POST', `/v1/intents/${intentId}/approve`, {
        key: t.owner.token,
        body: {},
      });
      if (status !== 200) throw new Error(`not approved: ${text}`);
    },
    async setPolicy(rules) {
      const document = { name: 'gateway', default: { approvers: ['role:approver'] }, rules: [...rules] };
      await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document });
    },
  };
  await gateway.setPolicy(RULES);
  return gateway;
}
