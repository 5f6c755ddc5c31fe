/** The stream of the 2025 revisions that belongs to no call: what a client hears of while it asks nothing. */
import { Readable } from 'node:stream';

const CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
/** Told and not taken: who reads so little is cut off. */
const MOST_WAITING = 16 * 1024;

/** Server-sent events (WHATWG HTML §9.2). No event has an id: there is nothing to take up again but to list the tools. */
export class ToolStream {
  readonly readable = new Readable({ read() {} });

  constructor() {
    // The head of an answer goes with the first of its body.
    this.beat();
  }

  notifyChange(): void {
    this.#write(`event: message\ndata: ${CHANGED}\n\n`);
  }

  /** Keeps proxies from taking the connection for dead. */
  beat(): void {
    this.#write(':\n\n');
  }

  end(): void {
    if (!this.readable.destroyed) this.readable.push(null);
  }

  #write(text: string): void {
    if (this.readable.destroyed || this.readable.readableEnded) return;
    if (this.readable.readableLength > MOST_WAITING) this.readable.destroy();
    else this.readable.push(text);
  }
}
