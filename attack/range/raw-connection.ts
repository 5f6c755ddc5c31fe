/** Connections below HTTP, for requests that no client would send, and for requests that never end. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export class RawConnections {
  readonly #target: URL;

  constructor(target: URL) {
    this.#target = target;
  }

  async open(): Promise<Socket> {
    const host = this.#target.hostname.replace(/^\[|\]$/g, '');
    const isTls = this.#target.protocol === 'https:';
    const port = Number(this.#target.port || (isTls ? 443 : 80));
    const socket = isTls ? connectTls({ host, port, servername: host }) : connect({ host, port });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject);
        resolve();
      });
    });
    socket.on('error', () => {});
    return socket;
  }

  /** Sends, and collects data until the other side ends, `enough` returns true, or the time is over. */
  async exchange(
    sent: string,
    { enough = () => false, patienceMs }: { enough?: (text: string) => boolean; patienceMs: number },
  ): Promise<{ text: string; ended: boolean }> {
    const socket = await this.open();
    let text = '';
    const outcome = Promise.withResolvers<boolean>();
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (enough(text)) outcome.resolve(false);
    });
    socket.on('close', () => outcome.resolve(true));
    const timer = setTimeout(() => outcome.resolve(false), patienceMs);
    socket.write(sent);
    const ended = await outcome.promise;
    clearTimeout(timer);
    socket.destroy();
    return { text, ended };
  }
}

/** The status codes of the responses in the received text. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map((match) => Number(match[1]))
    .filter((status) => status !== 100);
}
