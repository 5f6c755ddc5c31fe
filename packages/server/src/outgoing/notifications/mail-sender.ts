import { MailError, type Mailer } from '../mail/mailer.ts';
import { lanes, SendSlots } from '../outbox/send-slots.ts';
import type { OutgoingDeps } from '../outgoing-deps.ts';
import { UTC } from '../time-text.ts';
import { TellingSender, type Told } from './telling-sender.ts';
import { type Tellings, toMail } from './to-mail.ts';

/** Sends mail to people. It reads their address when it sends, and stores it nowhere else. */
export class MailSender extends TellingSender {
  readonly channel = 'mail';
  readonly slots = new SendSlots(lanes(4));
  protected readonly paceSeconds = 60;
  readonly #mailer: Mailer;

  constructor(gate: OutgoingDeps, baseUrl: string, mailer: Mailer) {
    super(gate, baseUrl);
    this.#mailer = mailer;
  }

  override get ready(): boolean {
    return this.#mailer.configured;
  }

  protected async tell(userId: string, tellings: Tellings, unlisted: number): Promise<Told> {
    const user = await this.gate.storage.read.findUser(userId);
    // An erased person no longer has an address.
    if (!user?.email.includes('@')) return { kind: 'gone', error: 'The person has no email address.' };
    const preferences = await this.gate.storage.read.findPreferences(userId);
    const timeZone = preferences?.quietHours?.timeZone ?? UTC;
    const mail = toMail({ userId, address: user.email, timeZone }, tellings, {
      baseUrl: this.baseUrl,
      unlisted,
    });
    try {
      await this.#mailer.send(mail);
      return { kind: 'delivered', error: null };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return { kind: error.permanent ? 'gone' : 'failed', error: error.message };
    }
  }
}
