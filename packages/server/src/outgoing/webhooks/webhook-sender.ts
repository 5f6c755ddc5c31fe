import { addSeconds } from '../../gate/kernel/instant.ts';
import { claimDeliveries } from '../../gate/outbox/claim-deliveries.ts';
import type { LeasedDelivery } from '../../gate/outbox/delivery.ts';
import type { Answer } from '../../gate/outbox/settle-deliveries.ts';
import { openAddress } from '../../gate/webhooks/address.ts';
import { noteOutcome } from '../../gate/webhooks/note-outcome.ts';
import { readPayload } from '../../gate/webhooks/payload.ts';
import { openSecrets } from '../../gate/webhooks/secrets.ts';
import { sweepWebhooks } from '../../gate/webhooks/sweep-webhooks.ts';
import type { Webhook } from '../../gate/webhooks/webhook.ts';
import { toInertLine } from '../inert-text.ts';
import { retryAfter } from '../notifications/answered.ts';
import { SendSlots, type SlotFigures } from '../outbox/send-slots.ts';
import type { Sender, Sent } from '../outbox/sender.ts';
import { Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing.ts';
import type { AddressRange } from '../outgoing-addresses.ts';
import type { OutgoingDeps } from '../outgoing-deps.ts';
import { signedHeaders } from './sign.ts';

/** From the connection to the last byte of the answer. The sender gives up after that. */
const LONGEST_ATTEMPT_SECONDS = 15;
const LEASE_SECONDS = 20;
/** The least time between the end of an attempt that timed out and the end of its lease. */
const SPARE_SECONDS = 1;

/** How much of an answer is kept, for people who look for the cause of a failure. */
const EXCERPT_CHARACTERS = 500;

export const WEBHOOK_SLOTS: SlotFigures = {
  most: 512,
  mostOfProject: 128,
  mostFailing: 256,
  firstOfOne: 8,
  mostOfOne: 64,
};

/** The client that sends webhooks. It gives up early on a slow connection, and does not wait for long answers. */
export function openWebhookClient(allowedPrivate: readonly AddressRange[]): Outgoing {
  return new Outgoing({
    allowedPrivate,
    timeoutMs: LONGEST_ATTEMPT_SECONDS * 1000,
    connectTimeoutMs: 5000,
    mostAnswerMs: 2000,
    mostAnswerBytes: 4096,
    keepsConnections: true,
  });
}

/** Sends each event to a webhook separately. Events of one intent keep their order. */
export class WebhookSender implements Sender<Webhook> {
  readonly channel = 'webhook';
  readonly slots = new SendSlots(WEBHOOK_SLOTS);
  readonly firstRetrySeconds = 5;
  readonly keptSeconds = 30 * 24 * 60 * 60;
  readonly ready = true;
  readonly #gate: OutgoingDeps;
  readonly #outgoing: Outgoing;

  constructor(gate: OutgoingDeps, outgoing: Outgoing) {
    this.#gate = gate;
    this.#outgoing = outgoing;
  }

  listDue(): Promise<readonly Webhook[]> {
    return this.#gate.storage.read.listDueWebhooks(this.#gate.clock.now());
  }

  /** After failures of a webhook, one gate first takes one delivery as a probe. */
  async take(
    { id, openUntil }: Webhook,
    most: number,
    send: (parcels: readonly LeasedDelivery[][]) => Promise<void>,
  ): Promise<void> {
    const { clock, storage } = this.#gate;
    const until = addSeconds(clock.now(), LEASE_SECONDS);
    if (openUntil !== null) {
      const probe = storage.transaction((tx) => tx.takeProbe(id, openUntil, until), { guarded: true });
      if (!(await probe)) return;
    }
    const due = { channel: this.channel, target: id, limit: openUntil === null ? most : 1 } as const;
    const taken = await claimDeliveries(this.#gate, due, LEASE_SECONDS);
    await send(taken.map((delivery) => [delivery]));
  }

  async send(webhook: Webhook, [delivery]: readonly LeasedDelivery[]): Promise<Sent> {
    const answer = delivery && (await this.#post(webhook, delivery));
    if (!answer) return { answer: null };
    return { answer, note: (tx) => noteOutcome(this.#gate, tx, webhook, answer.kind) };
  }

  sweep(): Promise<number> {
    return sweepWebhooks(this.#gate);
  }

  /**
   * Reads the payload from the log, signs it with every secret that is valid now, and sends it once. Undefined: nothing
   * was sent, because another gate may be about to send it.
   */
  async #post(webhook: Webhook, delivery: LeasedDelivery): Promise<Answer | undefined> {
    const gate = this.#gate;
    const at = gate.clock.now();
    const url = openAddress(gate, webhook);
    const secrets = openSecrets(gate, webhook, at);
    if (url === undefined || secrets.length === 0)
      return failed(
        'The address and the secret cannot be decrypted, because their key is gone. Create the webhook again.',
      );
    const payload = await readPayload(gate, webhook.projectId, delivery);
    if (!payload) return failed('The event is no longer in the audit log.');
    const body = JSON.stringify(payload);
    const sent = { id: delivery.causeId ?? delivery.id, at: Date.parse(at), body };
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Permitry',
      ...signedHeaders(sent, secrets),
    };
    // The last check before sending: nothing is awaited in between, and the client cuts the attempt before the lease
    // ends.
    if (this.#isTooLate(delivery)) return undefined;
    try {
      return this.#toAnswer(await this.#outgoing.post({ url, headers, body }));
    } catch (error) {
      if (error instanceof OutgoingError) return failed(error.message);
      throw error;
    }
  }

  /**
   * Whether an attempt that begins now may end after the lease. By then another gate may have sent this delivery and
   * later ones. This happens to a gate that was suspended for a while, or that waited for the database.
   */
  #isTooLate({ leasedUntil }: LeasedDelivery): boolean {
    return this.#gate.clock.now() > addSeconds(leasedUntil, -LONGEST_ATTEMPT_SECONDS - SPARE_SECONDS);
  }

  #toAnswer({ status, headers, body }: OutgoingAnswer): Answer {
    const response = body.length === 0 ? null : toInertLine(body.toString('utf8'), EXCERPT_CHARACTERS);
    if (status >= 200 && status < 300) return { kind: 'delivered', status, error: null, response };
    const isRedirect = status >= 300 && status < 400;
    const error = `It answered ${status}${isRedirect ? '; redirects are not followed' : ''}.`;
    if (status === 410) return { kind: 'gone', status, error, response };
    const afterSeconds = retryAfter(headers['retry-after'], this.#gate.clock.now());
    return { kind: 'failed', status, error, response, afterSeconds };
  }
}

function failed(error: string): Answer {
  return { kind: 'failed', error };
}
