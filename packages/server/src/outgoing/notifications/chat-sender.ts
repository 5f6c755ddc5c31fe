import { openHookAddress } from '../../gate/notifications/chat-hook.ts';
import { toChatMessage } from '../chat/chat-message.ts';
import { type Outgoing, OutgoingError } from '../outgoing.ts';
import { toHandover } from './answered.ts';
import type { SenderDeps } from './sender-deps.ts';
import type { Handover, Sender } from './senders.ts';
import type { Tellings } from './to-mail.ts';

/** Messages into the chat of a project. How the latest attempt went, its admins can read. */
export class ChatSender implements Sender {
  readonly channel = 'chat';
  /** Slack takes one message a second. */
  readonly paceSeconds = 2;
  readonly lanes = 4;
  readonly ready = true;
  readonly #gate: SenderDeps;
  readonly #outgoing: Outgoing;

  constructor(gate: SenderDeps, outgoing: Outgoing) {
    this.#gate = gate;
    this.#outgoing = outgoing;
  }

  async send(projectId: string, tellings: Tellings, unlisted: number): Promise<Handover> {
    const gate = this.#gate;
    const hook = await gate.storage.read.findChatHook(projectId);
    const url = hook && openHookAddress(gate, hook);
    if (url === undefined) return { kind: 'gone', error: 'The hook is gone.' };
    const handover = await this.#post(url, JSON.stringify(toChatMessage(tellings, unlisted, gate.issuer)));
    const outcome = handover.kind === 'sent' ? { sentAt: gate.clock.now() } : { error: handover.error };
    await gate.storage.transaction((tx) => tx.noteChatHook(projectId, outcome));
    return handover;
  }

  async #post(url: string, body: string): Promise<Handover> {
    try {
      const headers = { 'content-type': 'application/json', 'user-agent': 'Permitry' };
      const answer = await this.#outgoing.post({ url, headers, body });
      return toHandover(answer, 'chat', this.#gate.clock.now());
    } catch (error) {
      if (error instanceof OutgoingError) return { kind: 'failed', error: error.message };
      throw error;
    }
  }
}
