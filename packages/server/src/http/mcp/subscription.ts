import { INTERNAL_ERROR, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import type { StreamWords } from '../../streams/event-stream.ts';

/**
 * One `subscriptions/listen` of 2026-07-28. Its stream passes on, frame by frame, what the SDK writes into its own
 * answer.
 */
export class Subscription implements StreamWords {
  readonly #handler: Pick<McpHttpHandler, 'close' | 'notify'>;
  readonly #frames: ReadableStreamDefaultReader<Uint8Array>;

  constructor(handler: Pick<McpHttpHandler, 'close' | 'notify'>, answer: ReadableStream<Uint8Array>) {
    this.#handler = handler;
    this.#frames = answer.getReader();
  }

  hello(): Promise<string> {
    return this.#nextFrame();
  }

  tell(): Promise<string> {
    this.#handler.notify.toolsChanged();
    return this.#nextFrame();
  }

  beat(): string {
    return ':\n\n';
  }

  goodbye(): Promise<string> {
    void this.#handler.close();
    return this.#nextFrame();
  }

  /** The answer when the limit of streams is reached, in the SDK's own words. */
  refuse(id: unknown): JsonObject {
    void this.#handler.close();
    const error = { code: INTERNAL_ERROR, message: 'Subscription limit reached' };
    return { jsonrpc: '2.0', id, error } as JsonObject;
  }

  async #nextFrame(): Promise<string> {
    const { value } = await this.#frames.read();
    return Buffer.from(value ?? []).toString();
  }
}
