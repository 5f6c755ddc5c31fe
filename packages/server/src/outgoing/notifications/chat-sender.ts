import { openHookAddress } from '../../gate/notifications/chat-hook.ts';
import { toChatMessage } from '../chat/chat-message.ts';
import { lanes, SendSlots } from '../outbox/send-slots.ts';
import type { Outgoing } from '../outgoing.ts';
import type { OutgoingDeps } from '../outgoing-deps.ts';
import { postFor } from './answered.ts';
import { TellingSender, type Told } from './telling-sender.ts';
import type { Tellings } from './to-mail.ts';

/** Sends messages to the chat of a project. Its admins can read how the latest attempt went. */
export class ChatSender extends TellingSender {
  readonly channel = 'chat';
  readonly slots = new SendSlots(lanes(4));
  /** Slack accepts one message a second. */
  protected readonly paceSeconds = 2;
  readonly #outgoing: Outgoing;

  constructor(gate: OutgoingDeps, baseUrl: string, outgoing: Outgoing) {
    super(gate, baseUrl);
    this.#outgoing = outgoing;
  }

  protected async tell(projectId: string, tellings: Tellings, unlisted: number): Promise<Told> {
    const { gate } = this;
    const hook = await gate.storage.read.findChatHook(projectId);
    const url = hook && openHookAddress(gate, hook);
    if (url === undefined) return { kind: 'gone', error: 'The chat is no longer connected.' };
    const headers = { 'content-type': 'application/json', 'user-agent': 'Permitry' };
    const body = JSON.stringify(toChatMessage(tellings, unlisted, this.baseUrl));
    const answer = await postFor(this.#outgoing, { url, headers, body }, 'chat', gate.clock);
    const { error } = answer;
    const outcome = error === null ? { sentAt: gate.clock.now() } : { error };
    return { ...answer, note: (tx) => tx.noteChatHook(projectId, outcome) };
  }
}
