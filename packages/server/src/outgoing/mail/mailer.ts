/** Hands mail to an SMTP server. `compose-mail.ts` writes the content. */
import type { Transporter } from 'nodemailer';
import type { MailSender, SmtpSettings } from './mail-settings.ts';

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Local part of the mail's Message-ID, e.g. `int_….waiting`. Default: generated. */
  id?: string;
  /** Local parts of earlier mails that this one continues, oldest first. */
  continues?: readonly string[];
  /**
   * Page where the reader chooses which of these mails to get. Omitted for mail that everybody gets, such as a password
   * reset.
   */
  preferencesUrl?: string;
}

/** `sent: false`: no SMTP server is configured, and the caller passes the content on in another way. */
type MailOutcome = { sent: true } | { sent: false };

export interface Mailer {
  /** Whether there is an SMTP server. */
  readonly configured: boolean;
  /**
   * Resolves when the server has accepted the mail. This takes seconds, so nobody awaits it inside a request or a
   * transaction.
   *
   * @throws MailError when the server did not accept it
   * @example await mailer.send({ to: user.email, ...composeMail({ subject, lines, link }) });
   */
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

/** The server did not accept the mail. */
export class MailError extends Error {
  /** True when the server will never accept the mail, e.g. because the address does not exist. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean) {
    super(message);
    this.name = 'MailError';
    this.permanent = permanent;
  }
}

export interface MailerOptions {
  /** Null: nothing is sent. */
  smtp: SmtpSettings | null;
  from: MailSender | null;
  /** The gate's own address. It gives the domain of Message-IDs, and of the sender if none is set. */
  baseUrl: string;
}

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export async function createMailer({ smtp, from, baseUrl }: MailerOptions): Promise<Mailer> {
  if (!smtp) return { configured: false, send: async () => ({ sent: false }), close() {} };
  const domain = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  const sender = from ?? { name: 'Permitry', address: `permitry@${domain}` };
  const transport = await openTransport(smtp);
  const messageId = (local: string): string => `<${local}@${domain}>`;
  return {
    configured: true,
    async send({ to, subject, text, html, id, continues = [], preferencesUrl }) {
      const thread = continues.map(messageId);
      try {
        await transport.sendMail({
          from: sender,
          // An object, because a text would be read as a list of addresses.
          to: { name: '', address: to },
          subject,
          text,
          html,
          ...(id === undefined ? {} : { messageId: messageId(id) }),
          ...(thread.length === 0 ? {} : { references: thread, inReplyTo: thread.at(-1) ?? '' }),
          headers: {
            // Suppresses out-of-office answers (RFC 3834).
            'Auto-Submitted': 'auto-generated',
            'X-Auto-Response-Suppress': 'All',
            ...(preferencesUrl === undefined ? {} : { 'List-Unsubscribe': `<${preferencesUrl}>` }),
          },
        });
      } catch (error) {
        throw toMailError(error);
      }
      return { sent: true };
    },
    close() {
      transport.close();
    },
  };
}

/** Loads the SMTP library only if a server is configured. */
async function openTransport({
  host,
  port,
  implicitTls,
  user,
  password,
}: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const local = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  return createTransport({
    pool: true,
    maxConnections: 2,
    host,
    port,
    secure: implicitTls,
    // A password never crosses a network unencrypted, whatever the server offers.
    requireTLS: !implicitTls && password !== null && !local,
    // A server on this machine rarely has a certificate that we could verify.
    ...(local ? { tls: { rejectUnauthorized: false } } : {}),
    ...(user !== null && password ? { auth: { user, pass: password.export().toString() } } : {}),
    // No content of a mail may make the transport read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  });
}

/** Leaves out the server's words, which may repeat addresses. The server's code says enough. */
function toMailError(error: unknown): MailError {
  const { responseCode, code, command } = error as { responseCode?: number; code?: string; command?: string };
  if (responseCode === undefined)
    return new MailError(`The email was not sent (${code ?? 'connection lost'}).`, false);
  // An answer about the recipient or the mail is final from 500 on. A problem with this gate (sign-in, TLS) can be
  // repaired.
  const permanent = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
  return new MailError(
    `The mail server answered ${responseCode}${command ? ` to ${command}` : ''}.`,
    permanent,
  );
}
