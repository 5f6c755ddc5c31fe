/** A small MCP server of revision 2025-11-25 over HTTP, written by hand so that it can misbehave in every way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  jsonrpc: '2.0';
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
}

interface Exchange {
  message: Message;
  request: IncomingMessage;
  response: ServerResponse;
  /** Answers as a well-behaved server does. */
  answer(result: object): void;
}

export interface ScriptedHttpServer {
  url: string;
  /** The answer to `tools/list`. */
  tools: unknown[];
  /** Replaces the usual answer to a method. If the function returns false, the usual answer is sent. */
  instead: Map<string, (exchange: Exchange) => unknown>;
  /** Everything received, in order. */
  seen: { method: string; message: Message | undefined; headers: IncomingMessage['headers'] }[];
  count(method: string): number;
  close(): Promise<void>;
}

export const READ_TOOL = {
  name: 'read',
  description: 'Reads a note.',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  annotations: { readOnlyHint: true },
};

/** @param port Default: any free port. A server that starts again uses its old port. */
export async function openScriptedHttpServer(port = 0): Promise<ScriptedHttpServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const message = text === '' ? undefined : (JSON.parse(text) as Message);
      const method = message?.method ?? request.method ?? '';
      scripted.seen.push({ method, message, headers: request.headers });
      serve(scripted, method, { message: message ?? { jsonrpc: '2.0' }, request, response });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const scripted: ScriptedHttpServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    tools: [READ_TOOL],
    instead: new Map(),
    seen: [],
    count: (method) => scripted.seen.filter((one) => one.method === method).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return scripted;
}

function serve(scripted: ScriptedHttpServer, method: string, parts: Omit<Exchange, 'answer'>): void {
  const { message, response } = parts;
  const answer = (result: object) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  };
  const instead = scripted.instead.get(method);
  if (instead && instead({ ...parts, answer }) !== false) return;
  switch (method) {
    case 'initialize':
      answer({
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1' },
      });
      return;
    case 'tools/list':
      answer({ tools: scripted.tools });
      return;
    case 'tools/call':
      answer({ content: [{ type: 'text', text: JSON.stringify(message.params?.arguments) }] });
      return;
    case 'GET':
    case 'DELETE':
      response.writeHead(405).end();
      return;
    default:
      if (message.id === undefined) response.writeHead(202).end();
      else
        response.writeHead(400, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            jsonrpc: '2.0',
            id: message.id,
            error: { code: -32601, message: 'no such method' },
          }),
        );
  }
}

/** Begins an answer as a stream of events. */
export function beginEvents(response: ServerResponse): (message: object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return (message) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}
