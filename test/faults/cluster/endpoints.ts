/** The endpoints of the project's webhooks: one accepts everything, and the others behave as real endpoints do. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecord } from '@permitry/protocol';
import {
  answers,
  type Behaviour,
  hangs,
  type ReceivedWebhook,
  receiveWebhooks,
  resets,
  type WebhookReceiver,
} from '../../../packages/server/test/webhooks/receive-webhooks.ts';
import { isGenuine } from '../../../packages/server/test/webhooks/verify-webhook.ts';
import { readAll } from '../checks/read-gate.ts';
import type { Random } from '../random.ts';
import type { World } from './world.ts';

/** A delivery as the webhook's list shows it. `failed`: the gate gave up. */
interface Delivery {
  event_id: string | null;
  state: 'waiting' | 'delivered' | 'failed';
}

interface Webhook {
  id: string;
  secret: string;
}

const NAMES = ['takes', 'takes-mostly', 'hangs', 'resets', 'fails', 'redirects', 'gone'] as const;
type Name = (typeof NAMES)[number];

const WANTED = ['intent.approved', 'intent.denied', 'permit.consumed', 'outcome.reported'];
/** A delivery held by a dead gate waits for a minute, and a failed one is retried with growing back-off. */
const DELIVERED_WITHIN_MS = 240_000;
const POLL_EVERY_MS = 1000;

export class Endpoints {
  readonly #receiver: WebhookReceiver;
  /** The target of a redirect: no delivery may arrive there. */
  readonly #inner: WebhookReceiver;
  readonly #webhooks = new Map<Name, Webhook>();

  private constructor(receiver: WebhookReceiver, inner: WebhookReceiver, random: Random) {
    this.#receiver = receiver;
    this.#inner = inner;
    const behaviours: Partial<Record<Name, Behaviour>> = {
      'takes-mostly': (...parts) => random.pick(OFTEN_WELL)(...parts),
      hangs,
      resets,
      fails: answers(500, {}, 'something went wrong'),
      redirects: answers(302, { location: `${inner.url}/inner` }),
      gone: answers(410),
    };
    for (const [name, behaviour] of Object.entries(behaviours))
      receiver.behaviours.set(`/${name}`, behaviour);
  }

  /** @param names Default: all of them. */
  static async open(world: World, random: Random, names: readonly Name[] = NAMES): Promise<Endpoints> {
    const endpoints = new Endpoints(await receiveWebhooks(), await receiveWebhooks(), random);
    for (const name of names) await endpoints.#register(world, name);
    return endpoints;
  }

  async close(): Promise<void> {
    await Promise.all([this.#receiver.close(), this.#inner.close()]);
  }

  /** The counts, in one line. */
  get counts(): string {
    const { received } = this.#receiver;
    const taken = this.#receiver.at('/takes');
    const again = taken.length - new Set(taken.map(idOf)).size;
    return `${received.length} attempts arrived, ${taken.length} where all is taken, ${again} of them again`;
  }

  /**
   * Waits until every event has reached the endpoints that accept it, and something has reached each of the others.
   *
   * @param records The whole log.
   * @returns the problems, in sentences
   */
  async findUndelivered(world: World, records: readonly AuditRecord[], patient: boolean): Promise<string[]> {
    const deadline = performance.now() + (patient ? DELIVERED_WITHIN_MS : 0);
    const lists = new Map<Name, Delivery[]>();
    for (const [name, webhook] of this.#webhooks) {
      do {
        lists.set(name, await listDeliveries(world, webhook));
        if (this.#isSettled(name, lists.get(name) ?? [])) break;
        await delay(POLL_EVERY_MS);
      } while (performance.now() < deadline);
    }
    const wrongs: string[] = [];
    for (const [name, deliveries] of lists) {
      const found = this.#problemsOf(name, deliveries, records, patient);
      wrongs.push(...found.map((problem) => `webhook that ${name}: ${problem}`));
    }
    if (this.#inner.received.length > 0)
      wrongs.push(`a redirect was followed ${this.#inner.received.length} times`);
    return wrongs;
  }

  async #register(world: World, name: Name): Promise<void> {
    const answer = await world.client.ask({
      method: 'POST',
      path: `/v1/projects/${world.cast.projectId}/webhooks`,
      key: world.cast.secretKey,
      body: { url: `${this.#receiver.url}/${name}`, event_types: WANTED },
    });
    if (answer?.status !== 201)
      throw new Error(`no webhook was made: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    this.#webhooks.set(name, { id: String(answer.body.id), secret: String(answer.body.secret) });
  }

  #isSettled(name: Name, deliveries: readonly Delivery[]): boolean {
    if (TAKING.includes(name)) return deliveries.every(({ state }) => state === 'delivered');
    // An attempt is counted when it has ended, so the attempts of a killed gate are not counted. The received
    // deliveries are the evidence.
    return this.#receiver.at(`/${name}`).length > 0;
  }

  #problemsOf(
    name: Name,
    deliveries: readonly Delivery[],
    records: readonly AuditRecord[],
    patient: boolean,
  ): string[] {
    const { id, secret } = this.#webhooks.get(name) ?? { id: '', secret: '' };
    const received = this.#receiver.at(`/${name}`);
    const arrived = new Set(received.map(idOf));
    const listed = Map.groupBy(deliveries, ({ event_id }) => String(event_id));
    const due = dueTo(id, records);
    const inLog = new Set(records.map((record) => record.id));
    return [
      ...due.filter((event) => !listed.has(event.id)).map((event) => `${event.id} is listed nowhere`),
      ...[...listed].filter(([, same]) => same.length > 1).map(([event]) => `${event} is listed twice`),
      ...deliveries
        .filter(({ state, event_id }) => state === 'delivered' && !arrived.has(String(event_id)))
        .map(({ event_id }) => `${event_id} is said to be delivered, and never came`),
      ...received
        .filter((webhook) => !inLog.has(idOf(webhook)))
        .map((webhook) => `${idOf(webhook)} is in no log`),
      ...received
        .filter((webhook) => !isGenuine(webhook, secret, Date.now()))
        .map((webhook) => `${idOf(webhook)} is not signed as it should be`),
      ...stateProblems(name, deliveries, patient),
      ...(patient && received.length === 0 ? ['nothing was tried'] : []),
      ...(TAKING.includes(name) ? orderProblems(name, received) : []),
    ];
  }
}

/** Every event reaches these endpoints sooner or later. */
const TAKING: readonly Name[] = ['takes', 'takes-mostly'];
const OFTEN_WELL: readonly Behaviour[] = [
  ...Array.from({ length: 27 }, () => answers(204)),
  hangs,
  resets,
  answers(500),
];

function idOf({ headers }: ReceivedWebhook): string {
  return String(headers['webhook-id']);
}

function listDeliveries({ client, cast }: World, { id }: Webhook): Promise<Delivery[]> {
  const path = `/v1/projects/${cast.projectId}/webhooks/${id}/deliveries`;
  return readAll(client, path, cast.secretKey, 'data') as Promise<unknown> as Promise<Delivery[]>;
}

/** Events between the webhook's creation and its deletion. */
function dueTo(webhookId: string, records: readonly AuditRecord[]): AuditRecord[] {
  const at = (type: string) =>
    records.find((record) => record.type === type && record.data.webhook_id === webhookId)?.seq;
  const [from, to] = [at('webhook.created') ?? 0, at('webhook.disabled') ?? Number.POSITIVE_INFINITY];
  // Events that were not read before the webhook's deletion are not sent.
  if (to !== Number.POSITIVE_INFINITY) return [];
  return records.filter(({ seq, type }) => seq > from && WANTED.includes(type));
}

function stateProblems(name: Name, deliveries: readonly Delivery[], patient: boolean): string[] {
  const count = (state: Delivery['state']) =>
    deliveries.filter((delivery) => delivery.state === state).length;
  if (deliveries.length === 0) return ['it has no deliveries'];
  if (!TAKING.includes(name))
    return count('delivered') > 0 ? [`${count('delivered')} are said to be delivered`] : [];
  return [
    ...(count('failed') > 0 ? [`${count('failed')} were given up`] : []),
    ...(patient && count('waiting') > 0 ? [`${count('waiting')} are still waiting`] : []),
  ];
}

/** Checks that each event of an intent first arrived after the first arrival of the event before it. */
function orderProblems(name: Name, received: readonly ReceivedWebhook[]): string[] {
  const firsts = new Map(received.toReversed().map((webhook) => [idOf(webhook), webhook]));
  const inOrder = received.filter((webhook) => firsts.get(idOf(webhook)) === webhook);
  const byIntent = Map.groupBy(inOrder, ({ body }) => String(body.data.intent_id));
  return [...byIntent]
    .filter(([, events]) =>
      events.some(({ body }, n) => n > 0 && Number(body.data.seq) < Number(events[n - 1]?.body.data.seq)),
    )
    .map(([intent]) => `${intent}: its events ${name === 'takes' ? 'came' : 'were tried'} in another order`);
}
