import { openPushAddress } from '../../gate/notifications/push-devices.ts';
import { openPushIdentity } from '../../gate/notifications/push-identity.ts';
import { type Outgoing, OutgoingError } from '../outgoing.ts';
import { toHandover } from './answered.ts';
import type { SenderDeps } from './sender-deps.ts';
import type { Handover, Sender } from './senders.ts';
import type { Tellings } from './to-mail.ts';
import { toPushMessages } from './to-push.ts';

/** Push messages to browsers and devices, through the push service of each. */
export class PushSender implements Sender {
  readonly channel = 'push';
  readonly paceSeconds = 2;
  readonly lanes = 8;
  readonly ready = true;
  readonly #gate: SenderDeps;
  readonly #outgoing: Outgoing;
  readonly #subject: string;

  /** @param mailAddress Whom a push service may write to; null: it gets the gate's own address. */
  constructor(gate: SenderDeps, outgoing: Outgoing, mailAddress: string | null) {
    this.#gate = gate;
    this.#outgoing = outgoing;
    this.#subject = pushSubject(gate.issuer, mailAddress);
  }

  async send(subscriptionId: string, tellings: Tellings, unlisted: number): Promise<Handover> {
    const gate = this.#gate;
    const subscription = await gate.storage.read.findPushSubscription(subscriptionId);
    const address = subscription && openPushAddress(gate, subscription);
    if (!address) return { kind: 'gone', error: 'The device is gone.' };
    const signed = { identity: await openPushIdentity(gate), subject: this.#subject };
    // Loaded with the first message: most gates have nobody to push to.
    const { toPushRequest } = await import('../push/push-message.ts');
    for (const { payload, envelope } of toPushMessages(tellings, unlisted, gate.clock.now())) {
      const handover = await this.#post(toPushRequest(address, payload, envelope, signed));
      if (handover.kind === 'gone') {
        await gate.storage.transaction((tx) => tx.deletePushSubscription(subscriptionId));
      }
      // Those before are shown again with the next attempt, each in its own place on the screen.
      if (handover.kind !== 'sent') return handover;
    }
    await gate.storage.transaction((tx) => tx.touchPushSubscription(subscriptionId, gate.clock.now()));
    return { kind: 'sent' };
  }

  async #post(request: Parameters<Outgoing['post']>[0]): Promise<Handover> {
    try {
      return toHandover(await this.#outgoing.post(request), 'push service', this.#gate.clock.now());
    } catch (error) {
      if (error instanceof OutgoingError) return { kind: 'failed', error: error.message };
      throw error;
    }
  }
}

/** Whom a push service may write to when something is wrong (RFC 8292 §2.1): services refuse a local address. */
function pushSubject(baseUrl: string, mailAddress: string | null): string {
  if (mailAddress !== null) return `mailto:${mailAddress}`;
  return baseUrl.startsWith('https://') ? baseUrl : 'mailto:permitry@example.com';
}
