import { InMemoryServerEventBus, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { whenOver } from '../answers/hung-up.ts';
import { recheck } from './listen.ts';
import { StreamReader } from './stream-reader.ts';
import type { ToolListeners } from './tool-listeners.ts';

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

/** 2026-07-28: `subscriptions/listen`, whose answer stays open. The SDK says what of it is heard, and keeps it alive. */
export async function subscribe(
  gate: GateParts,
  listeners: ToolListeners,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Subscription> {
  const subscription = new Subscription();
  const reader = new StreamReader(reply.raw);
  const leave = await listeners.join({
    caller: getCaller(request),
    recheck: () => recheck(gate, request),
    onQuiet: () => void reader.poll(),
    onChange: () => reader.tell(() => subscription.notifyChange()),
    onEnd: () => reader.end(() => subscription.end()),
  });
  if (leave) whenOver(reply, leave);
  else subscription.refuse();
  return subscription;
}
