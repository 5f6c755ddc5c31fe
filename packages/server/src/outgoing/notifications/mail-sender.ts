import { MailError, type Mailer } from '../mail/mailer.ts';
import type { SenderDeps } from './sender-deps.ts';
import type { Handover, Sender } from './senders.ts';
import { type Tellings, toMail } from './to-mail.ts';

/** Mail to people: their address is read when it is sent, and kept nowhere else. */
export class MailSender implements Sender {
  readonly channel = 'mail';
  readonly paceSeconds = 60;
  readonly lanes = 4;
  readonly #gate: SenderDeps;
  readonly #mailer: Mailer;

  constructor(gate: SenderDeps, mailer: Mailer) {
    this.#gate = gate;
    this.#mailer = mailer;
  }

  get ready(): boolean {
    return this.#mailer.configured;
  }

  async send(userId: string, tellings: Tellings, unlisted: number): Promise<Handover> {
    const user = await this.#gate.storage.read.findUser(userId);
    // An erased person has no address any more.
    if (!user?.email.includes('@')) return { kind: 'gone', error: 'The person has no address.' };
    const mail = toMail({ userId, address: user.email }, tellings, { baseUrl: this.#gate.issuer, unlisted });
    try {
      await this.#mailer.send(mail);
      return { kind: 'sent' };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return { kind: error.permanent ? 'gone' : 'failed', error: error.message };
    }
  }
}
