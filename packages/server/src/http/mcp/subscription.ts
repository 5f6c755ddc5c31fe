import { InMemoryServerEventBus, type McpHttpHandler } from '@modelcontextprotocol/server';

/** One `subscriptions/listen` of 2026-07-28: what the SDK answers it with, and what it hears of. */
export class Subscription {
  readonly bus = new InMemoryServerEventBus();
  #handler: Pick<McpHttpHandler, 'close'> | undefined;
  #isOver = false;
  #most = 1;

  /** How many the SDK takes; the next one it refuses in its words. */
  get most(): number {
    return this.#most;
  }

  /** There is no room for it. */
  refuse(): void {
    this.#most = 0;
  }

  /** Whose answer it is, which is ended with it. */
  attach(handler: Pick<McpHttpHandler, 'close'>): void {
    this.#handler = handler;
    if (this.#isOver) void handler.close();
  }

  notifyChange(): void {
    this.bus.publish({ kind: 'tools_list_changed' });
  }

  /** Says goodbye: the client may ask again. */
  end(): void {
    this.#isOver = true;
    void this.#handler?.close();
  }
}
