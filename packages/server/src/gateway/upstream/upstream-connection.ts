/**
 * One connection to one server. It is made when it is needed, closed when it fails, and opened again after a back-off.
 */
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import type { JsonObject } from '@permitry/protocol';
import { isNestedDeeper } from '../../gate/upstreams/is-nested-deeper.ts';
import type { ToolDefinition, UpstreamServer } from '../../gate/upstreams/upstream.ts';
import { CALL_HEADER } from './bounded-fetch.ts';
import { type FailedCall, toFailedCall, toUpstreamError } from './explain-failure.ts';
import { hideSecretsInResult, secretsOf } from './hide-secrets.ts';
import { listTools } from './list-tools.ts';
import { type ConnectionOptions, type OpenedClient, openClient } from './open-client.ts';
import { errorAfterSending, UpstreamError } from './upstream-error.ts';

/** Depth limit of results, because code that writes JSON recurses once per level. */
const MOST_RESULT_DEPTH = 512;
const TOO_DEEP = [{ type: 'text', text: 'The answer of the tool is nested too deep to be stored.' }];

export type CallAnswer = { kind: 'answered'; result: JsonObject; isError: boolean } | FailedCall;

interface CallTerms {
  signal: AbortSignal;
  timeoutMs: number;
  /** Receives the tool's progress. */
  onProgress?: ((update: Omit<Progress, 'message'> & { message: string | undefined }) => void) | undefined;
}

interface CallStream {
  onEnd: (error: UpstreamError | undefined) => void;
  end?: () => void;
}

export class UpstreamConnection {
  readonly #options: ConnectionOptions;
  readonly #secrets: readonly string[];
  /** Calls whose answer streams, by their local ID. */
  readonly #streams = new Map<string, CallStream>();
  #opened: Promise<OpenedClient> | undefined;
  #current: OpenedClient | undefined;
  #failures = 0;
  #notBefore = 0;
  #lastError = '';
  /** Whether the server exits when asked for its protocol revision. Such a server is not asked again. */
  #isLegacy = false;
  #calls = 0;
  readonly #closing = new AbortController();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { settings } = options;
    this.#secrets = secretsOf(settings);
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Lists all tools that the server has now, and connects if needed. If an existing connection fails, connects one more
   * time: the session or process may have ended.
   *
   * @param insists Whether to connect even during the back-off.
   * @throws UpstreamError
   */
  async list({ insists = false } = {}): Promise<{ server: UpstreamServer; tools: readonly unknown[] }> {
    const before = this.#current;
    try {
      return await this.#list(insists);
    } catch (error) {
      if (before === undefined || this.#closing.signal.aborted) throw error;
      return this.#list(true);
    }
  }

  /** Sends a call and never repeats it. The caller has just checked the server's tools, so there is a connection. */
  async call(
    { content }: ToolDefinition,
    given: JsonObject,
    { signal, timeoutMs, onProgress }: CallTerms,
  ): Promise<CallAnswer> {
    const opened = this.#current;
    if (!opened)
      return {
        kind: 'not_sent',
        message: `Nothing was sent: ${this.#lastError || 'there is no connection.'}`,
      };
    const name = String(content.name);
    const call = String(++this.#calls);
    const cut = Promise.withResolvers<never>();
    // Prevents an unhandled rejection; the race below also gets the error.
    cut.promise.catch(() => undefined);
    const stream: CallStream = {
      onEnd(error) {
        const end = new UpstreamError('The answer ended before it was complete.', { mayHaveArrived: true });
        // Gives the client a moment to process what it has already read.
        setTimeout(() => cut.reject(error ?? end), 20).unref();
      },
    };
    this.#streams.set(call, stream);
    try {
      const answer = opened.client.callTool(
        { name, arguments: given },
        {
          signal,
          timeout: timeoutMs,
          maxTotalTimeout: timeoutMs,
          ...(onProgress
            ? {
                onprogress: (update) =>
                  onProgress({ ...update, message: this.#withoutSecrets(update.message) }),
              }
            : {}),
          headers: { [CALL_HEADER]: call },
          // The pinned definition says which arguments also travel as headers. The client does not compile its schemas.
          toolDefinition: { name, inputSchema: content.inputSchema as { type: 'object' } },
        },
      );
      answer.catch(() => undefined);
      const result = await Promise.race([answer, cut.promise]);
      // Cuts the stream: nothing more is expected, and some servers leave it open.
      stream.end?.();
      return { kind: 'answered', result: this.#toResult(result), isError: result.isError === true };
    } catch (error) {
      return toFailedCall(error, { stdio: opened.stdio, secrets: this.#secrets });
    } finally {
      this.#streams.delete(call);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const opened = this.#opened;
    this.#forget();
    await opened?.then(
      ({ client, stdio }) => Promise.all([client.close().catch(() => undefined), stdio?.close()]),
      () => undefined,
    );
  }

  async #list(insists: boolean): Promise<{ server: UpstreamServer; tools: readonly unknown[] }> {
    const opened = await this.#open(insists);
    try {
      const tools = await listTools(opened.client, this.#options.patience);
      this.#failures = 0;
      return { server: opened.server, tools: this.#withoutSecrets(tools) };
    } catch (error) {
      const why = toUpstreamError(error, opened.stdio);
      this.#failed(why);
      void opened.client.close().catch(() => undefined);
      throw why;
    }
  }

  async #open(insists: boolean): Promise<OpenedClient> {
    if (this.#closing.signal.aborted) throw errorAfterSending('The connection was closed.');
    if (this.#opened) return this.#opened;
    if (!insists && performance.now() < this.#notBefore) throw errorAfterSending(this.#lastError);
    const opening = this.#connect();
    this.#opened = opening;
    try {
      const opened = await opening;
      if (this.#opened === opening) this.#current = opened;
      return opened;
    } catch (error) {
      if (this.#opened === opening) this.#opened = undefined;
      const why = toUpstreamError(error, undefined);
      this.#failed(why);
      throw why;
    }
  }

  async #connect(): Promise<OpenedClient> {
    try {
      return await this.#connectOnce();
    } catch (error) {
      // Servers that accept nothing before `initialize` may exit when probed.
      const hasEnded = error instanceof UpstreamError && error.message.startsWith('Its command ended');
      if (this.#options.settings.kind !== 'stdio' || !hasEnded || this.#isLegacy) throw error;
      this.#isLegacy = true;
      return this.#connectOnce();
    }
  }

  #toResult({ content, structuredContent, isError }: CallToolResult): JsonObject {
    const result = {
      content,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(isError === undefined ? {} : { isError }),
    };
    if (isNestedDeeper(result, MOST_RESULT_DEPTH))
      return { content: TOO_DEEP, ...(isError === undefined ? {} : { isError }) };
    return this.#withoutSecrets(result) as JsonObject;
  }

  #withoutSecrets<T>(said: T): T {
    // The variables of a local command stay in its results: they are often paths that the results are about, not
    // secrets.
    const secrets = this.#options.settings.kind === 'stdio' ? [] : this.#secrets;
    return hideSecretsInResult(said, secrets);
  }

  #connectOnce(): Promise<OpenedClient> {
    return openClient({
      ...this.#options,
      isLegacy: this.#isLegacy,
      signal: this.#closing.signal,
      onEnd: (client, why) => {
        if (this.#current?.client === client) this.#failed(why);
      },
      onCallStream: (call, end) => {
        const stream = this.#streams.get(call);
        if (stream) stream.end = end;
      },
      onCallStreamEnd: (call, error) => this.#streams.get(call)?.onEnd(error),
    });
  }

  #failed({ message }: UpstreamError): void {
    this.#forget();
    const { firstPauseMs, longestPauseMs } = this.#options.patience;
    this.#notBefore = performance.now() + Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
    this.#failures = Math.min(this.#failures + 1, 20);
    this.#lastError = message;
  }

  #forget(): void {
    this.#opened = undefined;
    this.#current = undefined;
  }
}
