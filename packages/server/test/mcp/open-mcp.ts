/** The MCP endpoint over a real gate that listens, with official clients of both revisions. */
import type { AddressInfo } from 'node:net';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openGateway, type TestGateway } from '../gateway/open-gateway.ts';
import type { TestAppOptions } from '../http/open-test-app.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
type Revision = (typeof REVISIONS)[number];

interface ClientWishes {
  key?: string;
  /** Receives each URL and returns what the user did. Default: the client cannot open URLs. */
  onUrl?: (url: string) => Promise<'accept' | 'decline' | 'cancel'> | 'accept' | 'decline' | 'cancel';
}

export interface TestMcp extends TestGateway {
  /** The URL of the endpoint. */
  url: URL;
  connect(revision: Revision, wishes?: ClientWishes): Promise<Client>;
  /** Sends a raw message, e.g. one that no client would send. */
  post(
    message: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown>; text: string }>;
}

export async function openMcp(options: TestAppOptions = {}): Promise<TestMcp> {
  return serveMcp(await openGateway(options));
}

/** Serves the MCP endpoint of a gateway that the caller opened. */
export async function serveMcp(t: TestGateway): Promise<TestMcp> {
  await t.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = t.app.server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const clients: Client[] = [];
  return {
    ...t,
    url,
    async connect(revision, { key = t.first.agent_key, onUrl } = {}) {
      const client = new Client(
        { name: 'test', version: '1' },
        {
          capabilities: onUrl ? { elicitation: { url: {} } } : {},
          versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
        },
      );
      if (onUrl) {
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          if (params.mode !== 'url') throw new Error('asked for a form');
          return { action: await onUrl(params.url) };
        });
      }
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      clients.push(client);
      return client;
    },
    async post(message, { key = t.first.agent_key, headers = {} } = {}) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      });
      const text = await response.text();
      const body = bodyOf(response.headers.get('content-type') ?? '', text);
      return { status: response.status, headers: response.headers, body, text };
    },
    async close() {
      for (const client of clients) await client.close();
      await t.close();
    },
  };
}

/** The body of the answer. For a stream, this is the last message. */
function bodyOf(type: string, text: string): Record<string, unknown> {
  const isStream = type.startsWith('text/event-stream');
  if (text === '' || !(isStream || type.startsWith('application/json'))) return {};
  return JSON.parse(isStream ? text.slice(text.lastIndexOf('data: ') + 'data: '.length) : text);
}

/** The text of a result that a model reads. */
export function wordsOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

export function structureOf({ structuredContent }: CallToolResult): Record<string, unknown> {
  return (structuredContent ?? {}) as Record<string, unknown>;
}
