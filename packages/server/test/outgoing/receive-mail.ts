/** A real SMTP server on this machine that keeps what it receives. */
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail extends Email {
  /** The recipients of the envelope. */
  recipients: readonly string[];
  raw: string;
}

export interface MailReceiver {
  port: number;
  /** For `PERMITRY_SMTP_URL`. */
  url: string;
  received: ReceivedMail[];
  /** Resolves when this many emails have arrived. */
  waitFor(count: number): Promise<readonly ReceivedMail[]>;
  close(): Promise<void>;
}

export async function receiveMail(options: SMTPServerOptions = {}): Promise<MailReceiver> {
  const received: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const bytes = Buffer.concat(parts);
        PostalMime.parse(bytes).then((mail) => {
          const recipients = session.envelope.rcptTo.map(({ address }) => address);
          received.push({ ...mail, recipients, raw: bytes.toString() });
          callback();
          for (const check of waiting) check();
        }, callback);
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    received,
    waitFor(count) {
      return new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        check();
      });
    },
    close: () => new Promise((done) => server.close(() => done())),
  };
}
