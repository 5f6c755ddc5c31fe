/**
 * An MCP server on this machine. On demand, it shuts down after the gate has listed its tools and before the gate calls
 * one.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { NotProvided } from '../undefended.ts';

/** A loopback address of its own, so that a gate can be allowed to reach this server and nothing else. */
export const LEAVING_SERVER_ADDRESS = '127.84.0.1';

const TOOL = { name: 'work', description: 'Works.', inputSchema: { type: 'object' } };

interface Message {
  id?: number | string;
  method?: string;
}

export class LeavingServer {
  /** The number of calls that reached the server's tool. */
  calls = 0;
  /** Whether the server shuts down after it has listed its tools. */
  leaves = false;
  #port = 0;
  #server: Server | undefined;

  get url(): string {
    return `http://${LEAVING_SERVER_ADDRESS}:${this.#port}/mcp`;
  }

  /** Uses the same port each time. */
  async open(): Promise<void> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', () => reject(new NotProvided(`the address ${LEAVING_SERVER_ADDRESS}`)));
      server.listen(this.#port, LEAVING_SERVER_ADDRESS, resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { id, method } = (body === '' ? {} : JSON.parse(body)) as Message;
    const isLeaving = this.leaves && method === 'tools/list';
    // The call can reach neither the port nor this connection any longer.
    if (isLeaving) this.#server?.close();
    response.setHeader('connection', 'close');
    const result = this.#resultOf(method);
    if (result === undefined) {
      response.writeHead(id === undefined && body !== '' ? 202 : 405).end();
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  #resultOf(method: string | undefined): object | undefined {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'leaving', version: '1' },
        };
      case 'tools/list':
        return { tools: [TOOL] };
      case 'tools/call':
        this.calls += 1;
        return { content: [{ type: 'text', text: 'done' }] };
      default:
        return undefined;
    }
  }
}
