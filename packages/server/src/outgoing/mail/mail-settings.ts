/** The server that accepts mail, and the sender's name. */
import { createSecretKey, type KeyObject } from 'node:crypto';

/** How mail leaves the gate. A `KeyObject` holds the password, so neither a log nor JSON shows it. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps`). Otherwise STARTTLS, which is required if a password is sent to another host. */
  implicitTls: boolean;
  user: string | null;
  password: KeyObject | null;
}

/** The sender of mail. */
export interface MailSender {
  name: string;
  address: string;
}

export interface MailSettings {
  /** Null: no mail is sent. */
  smtp: SmtpSettings | null;
  /** Null: `permitry@<host of the base URL>`. */
  from: MailSender | null;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/**
 * `smtp://user:password@host:587` or `smtps://…`. Characters that are special in a URL are percent-encoded.
 *
 * @throws Error that does not quote the URL
 */
export function readSmtpUrl(text: string): SmtpSettings {
  const url = URL.canParse(text) ? new URL(text) : null;
  const port = url ? PORTS[url.protocol] : undefined;
  if (!url || port === undefined || url.hostname === '') {
    throw new Error('must be a URL such as smtps://user:password@mail.example.com:465 (or smtp://…:587)');
  }
  if (!['', '/'].includes(url.pathname) || url.search || url.hash) {
    throw new Error('must end after the host and the port');
  }
  const [user, password] = [decode(url.username), decode(url.password)];
  if ((user === '') !== (password === ''))
    throw new Error('must contain both a user and a password, or neither');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? port : Number(url.port),
    implicitTls: url.protocol === 'smtps:',
    user: user === '' ? null : user,
    password: password === '' ? null : createSecretKey(Buffer.from(password)),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('contains a user or password that is not percent-encoded');
  }
}

/** An address, or a name and an address: `Permitry <permitry@example.com>`. */
export function readMailFrom(text: string): MailSender {
  const named = /^(?:"?([^"<>\r\n]{0,100}?)"?\s*)<([^<>\s]+)>$/.exec(text);
  const address = named?.[2] ?? text;
  if (!/^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,255}$/.test(address)) {
    throw new Error('must be an email address, or a name and an address: Permitry <permitry@example.com>');
  }
  return { name: named?.[1] || 'Permitry', address };
}
