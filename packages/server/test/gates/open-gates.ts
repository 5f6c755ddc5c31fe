/** Several gates on one PostgreSQL database, each with its own HTTP app; the first created the project. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { readConfig } from '../../src/config.ts';
import { buildApp } from '../../src/http/app.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { surfaceA } from '../../src/http/surface-a/surface-a.ts';
import { surfaceB } from '../../src/http/surface-b/surface-b.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';
import { LastUsed } from '../../src/people/last-used.ts';
import {
  openTestGate,
  TEST_KEY_SETTINGS,
  type TestGate,
  type TestGateOptions,
} from '../fixtures/open-test-gate.ts';

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
}

export interface Replica {
  metrics: Metrics;
  call(
    method: string,
    url: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Listens on its own port, for streams and other long answers. */
  listen(): Promise<string>;
}

/** `t.gate` is an extra gate without an HTTP app, which creates what a test needs. */
export interface Gates extends TestGate {
  gates: readonly OpenGate[];
  replicas: readonly Replica[];
  /** The HTTP app of the gate for this round: the gates take turns. */
  replicaIn(round: number): Replica;
}

interface GatesOptions extends Omit<TestGateOptions, 'on' | 'outside'> {
  /** Opens each gate's own connections to the outside. Default: none. */
  openOutside?: () => NonNullable<TestGateOptions['outside']>;
}

export async function openGates(
  count: number,
  { openOutside, ...options }: GatesOptions = {},
): Promise<Gates> {
  const t = await openTestGate({
    ...options,
    ...(openOutside ? { outside: openOutside() } : {}),
    on: 'postgres',
  });
  const failures: unknown[] = [];
  const closing: (() => Promise<void>)[] = [];
  const gates: OpenGate[] = [];
  const replicas: Replica[] = [];
  for (let index = 0; index < count; index += 1) {
    const opened = await openGate({
      ...openOutside?.(),
      database: t.database,
      issuer: t.gate.issuer,
      clock: t.clock,
      sealDelayMs: 20,
      signingKeys: TEST_KEY_SETTINGS,
      onError: (error) => failures.push(error),
    });
    const usage = new LastUsed(opened.gate, (error) => failures.push(error));
    const metrics = new Metrics();
    const app = await buildApp({
      gate: opened.gate,
      config: readConfig({}),
      logger: createLogger('silent'),
      surfaces: { a: surfaceA, b: surfaceB },
      usage,
      metrics,
    });
    gates.push(opened);
    replicas.push(replicaTo(app, metrics));
    closing.push(async () => {
      opened.wakeups.close();
      await app.close();
      await usage.close();
      await opened.close();
    });
  }
  return {
    ...t,
    gates,
    replicas,
    replicaIn(round) {
      const replica = replicas[round % replicas.length];
      if (!replica) throw new Error('there are no doors');
      return replica;
    },
    async close() {
      await Promise.all(closing.map((close) => close()));
      await t.close();
      if (failures.length > 0) throw new AggregateError(failures, 'a gate complained');
    },
  };
}

function replicaTo(app: FastifyInstance, metrics: Metrics): Replica {
  return {
    metrics,
    listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
    async call(method, url, { key, body, headers = {} } = {}) {
      const response = await app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url,
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return { status: response.statusCode, headers: response.headers, body: response.json() };
    },
  };
}
