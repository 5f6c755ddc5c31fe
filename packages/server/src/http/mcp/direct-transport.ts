import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  type Server,
} from '@modelcontextprotocol/server';

/**
 * The SDK's transport for one exchange, less its `Response` for the commonest of answers: one result, with nothing told or
 * asked before it. Making that and taking it apart again costs more than the SDK's own work on the message.
 */
export class DirectTransport extends PerRequestHTTPServerTransport {
  readonly #result = Promise.withResolvers<string>();
  #streams = false;
  #isAnswered = false;

  /** The text of the result; or the SDK's response, for a stream and for an error. */
  async answer(server: Server, request: JSONRPCRequest): Promise<string | Response> {
    await server.connect(this);
    return Promise.race([this.#result.promise, this.handleMessage(request)]);
  }

  override async send(
    message: JSONRPCMessage,
    options?: Parameters<PerRequestHTTPServerTransport['send']>[1],
  ): Promise<void> {
    // What a tool tells of itself later has nobody left to hear it.
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
