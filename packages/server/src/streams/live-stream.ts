import { Readable } from 'node:stream';
import type { SessionCaller } from '../gate/access/caller.ts';
import type { Position } from './position.ts';
import { writePosition } from './position.ts';

/** What a page is told: that something happened, and where to look. It reads anew what it shows. */
export interface Change {
  project_id: string;
  /** Null where it is about the project, or about many at once. */
  intent_id: string | null;
  /** Type of the audit event, or `many`. */
  type: string;
}

/**
 * Why a stream ends: `session`: signed out; `membership`: other projects or roles than when it began; `too_slow`: what
 * was sent is not being read; `shutdown`: the gate stops.
 */
export type EndReason = 'session' | 'membership' | 'too_slow' | 'shutdown';

/** One browser's stream of server-sent events (WHATWG HTML §9.2). */
export class LiveStream {
  readonly readable: Readable;
  readonly caller: SessionCaller;
  readonly position: Map<string, number>;
  /** Of each project, the revision under which membership was last looked at. */
  readonly revisions = new Map<string, number>();
  readonly #mostWaitingBytes: number;
  readonly #onEnd: (stream: LiveStream) => void;
  #ended = false;

  constructor(
    caller: SessionCaller,
    position: Position,
    options: { mostWaitingBytes: number; onEnd: (stream: LiveStream) => void },
  ) {
    this.caller = caller;
    this.position = new Map(position);
    this.#mostWaitingBytes = options.mostWaitingBytes;
    this.#onEnd = options.onEnd;
    this.readable = new Readable({ read() {} });
    this.readable.once('close', () => this.#leave());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The first message: where the stream stands, and whether what the page has seen so far still leads up to it. */
  greet(resumed: boolean): void {
    this.#write(
      `id: ${writePosition(this.position)}\nevent: hello\ndata: ${JSON.stringify({ resumed })}\n\n`,
    );
  }

  /** Tells of one event, unless this stream was told of it or of a later one already. */
  tell(seq: number, change: Change): void {
    if (seq <= (this.position.get(change.project_id) ?? 0)) return;
    this.position.set(change.project_id, seq);
    this.#write(`id: ${writePosition(this.position)}\nevent: changed\ndata: ${JSON.stringify(change)}\n\n`);
  }

  /** A comment: keeps proxies from taking the connection for dead. */
  beat(): void {
    this.#write(':\n\n');
  }

  end(reason: EndReason): void {
    if (this.#ended) return;
    this.#leave();
    if (reason === 'too_slow') {
      // What waits is not being read, so neither would a goodbye be.
      this.readable.destroy();
      return;
    }
    this.readable.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.readable.push(null);
  }

  #write(text: string): void {
    if (this.#ended) return;
    if (this.readable.readableLength + text.length > this.#mostWaitingBytes) this.end('too_slow');
    else this.readable.push(text);
  }

  #leave(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(this);
  }
}
