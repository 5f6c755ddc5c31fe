/** A gate that sends webhooks to a real server. The test moves the clock and triggers every delivery. */

import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { createWebhook, type NewWebhook } from '../../src/gate/webhooks/create-webhook.ts';
import { webhookLog } from '../../src/gate/webhooks/fill-deliveries.ts';
import type { DeliveryFilter, Webhook } from '../../src/gate/webhooks/webhook.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { openReach } from '../../src/outgoing/notifications/open-reach.ts';
import { Outbox } from '../../src/outgoing/outbox/outbox.ts';
import { Outgoing, type OutgoingOptions } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';
import { WebhookSender } from '../../src/outgoing/webhooks/webhook-sender.ts';
import { OPERATOR, openTestGate, type TestGate, type TestGateOptions } from '../fixtures/open-test-gate.ts';
import { receiveWebhooks, type WebhookReceiver } from './receive-webhooks.ts';

export interface WebhookGate extends TestGate {
  /** The same gate, able to reach the server of this test. */
  gate: GateParts;
  endpoint: WebhookReceiver;
  /** The first deliverer. */
  webhooks: Outbox;
  /** Another deliverer on the same database, as another gate would have. */
  another(options?: Partial<OutgoingOptions>): Outbox;
  /** Registers a webhook for a path of the endpoint. `secret` is the one that the gate showed. */
  hook(path: string, settings?: Partial<NewWebhook>): Promise<{ webhook: Webhook; secret: string }>;
  find(webhook: Pick<Webhook, 'id'>): Promise<Webhook>;
  /** Newest first. */
  deliveries(
    webhook: Pick<Webhook, 'id'>,
    filter?: Partial<DeliveryFilter>,
  ): ReturnType<GateParts['storage']['read']['listDeliveries']>;
  /** Creates an intent as the first agent; returns its ID. */
  ask(action?: string): Promise<string>;
  /** Creates an intent as the first agent, and denies it as the owner. */
  askAndDeny(action?: string): Promise<string>;
  /**
   * What the deliverers reported. A test that expects a failure removes it, because any failure that remains fails the
   * test.
   */
  failures: { error: unknown; what: string }[];
  /** Reads everything that is sealed, and sends everything that is due. */
  send(): Promise<void>;
}

export interface WebhookGateOptions extends TestGateOptions {
  outgoing?: Partial<OutgoingOptions>;
}

export async function openWebhooks(options: WebhookGateOptions = {}): Promise<WebhookGate> {
  const t = await openTestGate({ mode: 'live', ...options });
  const endpoint = await receiveWebhooks();
  const allowedPrivate = readAddressRanges('127.0.0.1');
  const reach = openReach({ configured: false }, new Outgoing({ allowedPrivate }));
  const gate: GateParts = { ...t.gate, reach };
  const failures: WebhookGate['failures'] = [];
  const assertNoFailure = (): void => {
    const errors = failures.map(({ error }) => error);
    if (errors.length > 0) throw new AggregateError(errors, 'something failed inside');
  };
  const begun: Outbox[] = [];
  const begin = (outgoing: Partial<OutgoingOptions> = {}) => {
    const door = new Outgoing({
      allowedPrivate,
      timeoutMs: 30_000,
      mostAnswerMs: 30_000,
      mostAnswerBytes: 4096,
      ...options.outgoing,
      ...outgoing,
    });
    const webhooks = new Outbox(gate, {
      readers: [webhookLog(gate)],
      senders: [new WebhookSender(gate, door)],
      onError: (error, what) => failures.push({ error, what }),
      random: () => 0.5,
      cut: () => door.close(),
    });
    begun.push(webhooks);
    return webhooks;
  };
  const webhooks = begin();
  const opened: WebhookGate = {
    ...t,
    gate,
    endpoint,
    webhooks,
    failures,
    another: begin,
    hook: (path, settings = {}) =>
      createWebhook(gate, OPERATOR, {
        projectId: t.projectId,
        url: `${endpoint.url}${path}`,
        eventTypes: ['intent.*'],
        ...settings,
      }),
    async find({ id }) {
      const webhook = await gate.storage.read.findWebhook(t.projectId, id);
      if (!webhook) throw new Error(`${id} is gone`);
      return webhook;
    },
    deliveries: ({ id: webhookId }, filter = {}) =>
      gate.storage.read.listDeliveries({ projectId: t.projectId, webhookId, limit: 200, ...filter }),
    async ask(action = 'payments.refund') {
      const { intent } = await submitIntent(gate, t.agent, { action, params: { amount: 120 } });
      return intent.id;
    },
    async askAndDeny(action) {
      const intentId = await opened.ask(action);
      await decideIntent(gate, t.owner.caller, { intentId, decision: 'deny', reason: 'not for Eve Evans' });
      return intentId;
    },
    async send() {
      await gate.ledger.sealNow(t.projectId);
      await webhooks.runOnce();
      assertNoFailure();
    },
    async close() {
      for (const each of begun) await each.stop();
      await endpoint.close();
      await t.close();
      assertNoFailure();
    },
  };
  return opened;
}
