import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  type Server,
} from '@modelcontextprotocol/server';

/**
 * The SDK's transport for one exchange, without its `Response` for the most common answer: one result and nothing
 * before it. Building and reading that object costs more than the SDK's own work on the message.
 */
export class DirectTransport extends PerRequestHTTPServerTransport {
  readonly #result = Promise.withResolvers<string>();
  #streams = false;
  #isAnswered = false;

  /** Returns the text of the result, or the SDK's response for a stream or an error. */
  async answer(server: Server, request: JSONRPCRequest): Promise<string | Response> {
    await server.connect(this);
    return Promise.race([this.#result.promise, this.handleMessage(request)]);
  }

  override async send(
    message: JSONRPCMessage,
    options?: Parameters<PerRequestHTTPServerTransport['send']>[1],
  ): Promise<void> {
    // After the answer, nobody reads a tool's later messages.
    if (this.#isAnswered) return;
    if ('result' in message && !this.#streams) {
      this.#isAnswered = true;
      this.#result.resolve(JSON.stringify(message));
      return;
    }
    this.#streams = true;
    await super.send(message, options);
  }
}
