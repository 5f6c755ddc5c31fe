/** Traces as a collector receives them: complete, in the caller's own trace, and without secrets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { readTraceSettings } from '../../src/ops/telemetry/trace-settings.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

let collector: Server;
let collected: string[];
let directory: string;
let server: RunningServer | undefined;
let first: FirstCredentials;
let log: string;
beforeEach(async () => {
  collected = [];
  log = '';
  collector = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      collected.push(`${request.url}\n${Buffer.concat(pieces)}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  directory = mkdtempSync(join(tmpdir(), 'permitry-traces-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<RunningServer> {
  const { port } = collector.address() as AddressInfo;
  const config = readConfig({
    PERMITRY_DATA: directory,
    PERMITRY_PORT: '0',
    PERMITRY_ACCESS_LOG: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    ...env,
  });
  server = await startServer(config, {
    logger: createLogger('info', {
      write: (line) => {
        log += line;
      },
    }),
    prepare: async (gate) => {
      first = await initialiseGate(gate, { mode: 'test', projectName: 'First', ownerEmail: 'o@example.org' });
    },
  });
  return server;
}

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${server?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${first.secret_key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** All spans that were sent until the gate had stopped. */
async function spans(): Promise<WireSpan[]> {
  await server?.close();
  return collected.flatMap((post) => {
    const [path, json = ''] = post.split(/\n(.*)/s);
    expect(path).toBe('/v1/traces');
    const { resourceSpans } = JSON.parse(json);
    return resourceSpans.flatMap((of: { scopeSpans: { spans: WireSpan[] }[] }) =>
      of.scopeSpans.flatMap((scope) => scope.spans),
    );
  });
}

function attributesOf(span: WireSpan | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

describe('traces', () => {
  test('follow a request from its arrival to the database, in the trace of its sender', async () => {
    await start();
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    const made = await call(
      'POST',
      '/v1/intents',
      { action: 'deploy', params: { note: 'do-not-trace-me' } },
      { traceparent },
    );
    await call('POST', `/v1/intents/${made.id}/approve`, {}, { traceparent });
    await call('GET', '/v1/intents/int_x');
    const found = await spans();
    const ours = found.filter(({ traceId }) => traceId === TRACE);
    const [created, approved] = ours.filter(({ parentSpanId }) => parentSpanId === PARENT);
    expect([created?.name, created?.kind]).toEqual(['POST /v1/intents', 2]);
    expect(attributesOf(created)).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/intents',
      'http.response.status_code': 201,
      'permitry.caller': 'secret',
      'permitry.request_id': expect.stringMatching(/^req_/),
    });
    const below = (parent: WireSpan | undefined): WireSpan[] =>
      ours.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
    const [operation] = below(created).filter(({ name }) => name === 'createIntent');
    expect(below(operation).map(({ name }) => name)).toContain('transaction');
    const deciding = below(approved).find(({ name }) => name === 'approveIntent');
    const names = below(deciding).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['sign', 'transaction']));
    expect(names.some((name) => name.startsWith('read find'))).toBe(true);
    // Reads that bypass an open transaction are traced as well.
    expect(server?.gate.storage.read).toBe(server?.gate.storage.read);

    const other = found.find(({ name }) => name === 'GET /v1/intents/:id');
    expect(other?.traceId).not.toBe(TRACE);
    expect(other?.parentSpanId || undefined).toBeUndefined();
    const text = collected.join();
    for (const secret of ['do-not-trace-me', 'prm_', 'eyJ', 'example.org', String(made.id)]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('{"key":"service.name","value":{"stringValue":"permitry"}}');
    expect(log).toContain(`"trace":"${TRACE}"`);
  });

  test('show each delivery to a webhook, but not its address', async () => {
    const { port } = collector.address() as AddressInfo;
    await start({ PERMITRY_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' });
    const url = `http://127.0.0.1:${port}/hook-of-secrets`;
    const made = await call('POST', `/v1/projects/${first.project_id}/webhooks`, {
      url,
      event_types: ['intent.created'],
    });
    expect(made).toMatchObject({ id: expect.stringMatching(/^whk_/) });
    await call('POST', '/v1/intents', { action: 'deploy' });
    const sent = async (): Promise<unknown> => {
      const { data } = await call('GET', `/v1/projects/${first.project_id}/webhooks/${made.id}/deliveries`);
      return (data as { state: string }[])[0]?.state;
    };
    await expect.poll(sent).toBe('delivered');
    await server?.close();
    collected = collected.filter((post) => post.startsWith('/v1/traces'));
    const [span] = (await spans()).filter(({ name }) => name === 'deliver webhook');
    expect([span?.kind, span?.parentSpanId || undefined]).toEqual([3, undefined]);
    expect(attributesOf(span)).toMatchObject({ 'http.response.status_code': 200 });
    expect(collected.join()).not.toContain('hook-of-secrets');
  });

  test.each([
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
    'prm_secret',
  ])('get a new ID when a request comes with an invalid traceparent: %s', async (traceparent) => {
    await start();
    await call('GET', '/v1/intents/int_x', undefined, { traceparent });
    const [span] = (await spans()).filter(({ name }) => name === 'GET /v1/intents/:id');
    expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span?.traceId).not.toBe(TRACE);
    expect(collected.join()).not.toContain('prm_secret');
  });

  test('follow the sampler, and a caller’s decision not to sample', async () => {
    await start();
    await call('GET', '/v1/intents/int_x', undefined, { traceparent: `00-${TRACE}-${PARENT}-00` });
    expect(await spans()).toEqual([]);
    await start({ PERMITRY_DATA: `${directory}/other`, OTEL_TRACES_SAMPLER: 'always_off' });
    await call('GET', '/v1/intents/int_x');
    expect(await spans()).toEqual([]);
  });

  test('that cannot be sent do not affect requests, and are reported in the log', async () => {
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(await call('GET', '/v1/intents/int_x')).toMatchObject({ error: { code: 'intent_not_found' } });
    await server?.close();
    expect(log).toContain('spans could not be sent');
  });
});

describe('trace settings', () => {
  const endpoint = 'http://collector:4318';
  test.each([
    [{}, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` }, { parentBased: true, ratio: 1 }],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces`, OTEL_TRACES_SAMPLER: 'always_on' },
      { parentBased: false, ratio: 1 },
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      },
      { parentBased: true, ratio: 0.1 },
    ],
  ])('are read from %j', (env, sampler) => {
    expect(readTraceSettings(env)).toEqual(sampler && { url: `${endpoint}/v1/traces`, sampler });
  });

  test.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'sometimes' },
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '2',
    },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'zipkin' },
  ])('refuse %j', (env) => {
    expect(() => readConfig(env)).toThrow(/OTEL_/);
  });
});
