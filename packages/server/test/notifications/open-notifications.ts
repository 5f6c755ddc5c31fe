/** A gate that notifies people: email, push and chat go to real servers on this machine, and the test moves the clock. */

import type { IntentRequest } from '../../src/gate/intents/draft-intent.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { notificationLog } from '../../src/gate/notifications/read-log.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { readSmtpUrl } from '../../src/outgoing/mail/mail-settings.ts';
import { createMailer } from '../../src/outgoing/mail/mailer.ts';
import { ChatSender } from '../../src/outgoing/notifications/chat-sender.ts';
import { MailSender } from '../../src/outgoing/notifications/mail-sender.ts';
import { openReach } from '../../src/outgoing/notifications/open-reach.ts';
import { PushSender } from '../../src/outgoing/notifications/push-sender.ts';
import { Outbox } from '../../src/outgoing/outbox/outbox.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';
import { openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { type MailReceiver, type ReceivedMail, receiveMail } from '../outgoing/receive-mail.ts';
import { type PostReceiver, receivePosts } from './receive-posts.ts';

export interface NotifiedGate extends TestGate {
  /** The same gate, able to reach the servers of this test. */
  gate: GateParts;
  mail: MailReceiver;
  posts: PostReceiver;
  notifications: Outbox;
  /** Simulates a restart: only the database is kept. */
  restart(): void;
  /** Sends a request by the first agent and returns its ID. */
  ask(
    action?: string,
    request?: Partial<IntentRequest>,
    by?: TestGate['agent'] | TestGate['secret'],
  ): Promise<string>;
  /** Seals pending events and sends every notification that is due. */
  tell(): Promise<void>;
  /** Sends what is due and returns the emails received since the last call, ordered by recipient. */
  mails(): Promise<readonly ReceivedMail[]>;
  /** "recipients: subject" of those emails. */
  subjects(): Promise<readonly string[]>;
}

export interface NotifiedOptions {
  mode?: 'test' | 'live';
  /** Null: no mail server is configured. */
  smtpUrl?: string | null;
  /** Time limit for a chat or push service; default: longer than any test takes. */
  timeoutMs?: number;
  baseUrl?: string;
}

/** An email waits a few seconds for more of its kind, and a minute after the previous one. */
export const GATHERED_SECONDS = 61;

export async function openNotifications(options: NotifiedOptions = {}): Promise<NotifiedGate> {
  const t = await openTestGate({ mode: options.mode ?? 'live' });
  const mail = await receiveMail();
  const posts = await receivePosts();
  const smtp = options.smtpUrl === null ? null : readSmtpUrl(options.smtpUrl ?? mail.url);
  const mailer = await createMailer({ smtp, from: null, baseUrl: t.gate.issuer });
  const { timeoutMs = 60_000 } = options;
  const outgoing = new Outgoing({ allowedPrivate: readAddressRanges('127.0.0.1'), timeoutMs });
  const gate: GateParts = { ...t.gate, reach: openReach(mailer, outgoing) };
  const failures: unknown[] = [];
  const begin = () =>
    new Outbox(gate, {
      readers: [notificationLog(gate)],
      senders: [
        new MailSender(gate, gate.issuer, mailer),
        new PushSender(gate, gate.issuer, outgoing, null),
        new ChatSender(gate, gate.issuer, outgoing),
      ],
      onError: (error) => failures.push(error),
      random: () => 0.5,
      cut: () => outgoing.close(),
    });
  let notifications = begin();
  let seen = 0;
  const notified: NotifiedGate = {
    ...t,
    gate,
    mail,
    posts,
    get notifications() {
      return notifications;
    },
    restart() {
      notifications = begin();
    },
    async ask(action = 'payments.refund', request = {}, by = t.agent) {
      const { intent } = await submitIntent(gate, by, { action, params: { amount: 120 }, ...request });
      return intent.id;
    },
    async tell() {
      await gate.ledger.sealNow(t.projectId);
      await notifications.runOnce();
      t.clock.advance(GATHERED_SECONDS);
      await notifications.runOnce();
      if (failures.length > 0) throw new AggregateError(failures, 'something could not be told');
    },
    async mails() {
      await notified.tell();
      const fresh = mail.received.slice(seen);
      seen = mail.received.length;
      return fresh.toSorted((a, b) => String(a.recipients).localeCompare(String(b.recipients)));
    },
    async subjects() {
      return (await notified.mails()).map(({ recipients, subject }) => `${recipients}: ${subject}`);
    },
    async close() {
      outgoing.close();
      mailer.close();
      await mail.close();
      await posts.close();
      await t.close();
    },
  };
  return notified;
}
