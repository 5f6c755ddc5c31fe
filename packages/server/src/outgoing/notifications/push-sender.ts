import { openPushAddress } from '../../gate/notifications/push-devices.ts';
import { openPushIdentity } from '../../gate/notifications/push-identity.ts';
import { lanes, SendSlots } from '../outbox/send-slots.ts';
import type { Outgoing } from '../outgoing.ts';
import type { OutgoingDeps } from '../outgoing-deps.ts';
import { postFor } from './answered.ts';
import { TellingSender, type Told } from './telling-sender.ts';
import type { Tellings } from './to-mail.ts';
import { toPushMessages } from './to-push.ts';

/** Sends push messages to browsers and devices, through the push service of each. */
export class PushSender extends TellingSender {
  readonly channel = 'push';
  readonly slots = new SendSlots(lanes(8));
  protected readonly paceSeconds = 2;
  readonly #outgoing: Outgoing;
  readonly #subject: string;

  /** @param mailAddress The contact address for push services. Null: they get the gate's own address. */
  constructor(gate: OutgoingDeps, baseUrl: string, outgoing: Outgoing, mailAddress: string | null) {
    super(gate, baseUrl);
    this.#outgoing = outgoing;
    this.#subject = pushSubject(baseUrl, mailAddress);
  }

  protected async tell(subscriptionId: string, tellings: Tellings, unlisted: number): Promise<Told> {
    const { gate } = this;
    const subscription = await gate.storage.read.findPushSubscription(subscriptionId);
    const address = subscription && openPushAddress(gate, subscription);
    if (!address) return { kind: 'gone', error: 'The device is no longer registered.' };
    const signed = { identity: await openPushIdentity(gate), subject: this.#subject };
    // Loaded with the first message, because most gates never push.
    const { toPushRequest } = await import('../push/push-message.ts');
    for (const { payload, envelope } of toPushMessages(tellings, unlisted, gate.clock.now())) {
      const request = toPushRequest(address, payload, envelope, signed);
      const answer = await postFor(this.#outgoing, request, 'push service', gate.clock);
      if (answer.kind === 'gone') {
        return { ...answer, note: async (tx) => void (await tx.deletePushSubscription(subscriptionId)) };
      }
      // The next attempt sends the earlier messages again. On the screen, each replaces its first copy.
      if (answer.kind === 'failed') return answer;
    }
    const at = gate.clock.now();
    return {
      kind: 'delivered',
      error: null,
      note: (tx) => tx.touchPushSubscription(subscriptionId, at),
    };
  }
}

/** Contact for a push service when something is wrong (RFC 8292 §2.1). Services refuse a local address. */
function pushSubject(baseUrl: string, mailAddress: string | null): string {
  if (mailAddress !== null) return `mailto:${mailAddress}`;
  return baseUrl.startsWith('https://') ? baseUrl : 'mailto:permitry@example.com';
}
