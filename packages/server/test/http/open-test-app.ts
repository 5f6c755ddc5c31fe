/** The whole HTTP app over a real gate; requests are injected, and answers are checked against their schemas. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { DestinationStream } from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import { KeptCredentials } from '../../src/gate/access/kept-credentials.ts';
import { type AppDeps, buildApp } from '../../src/http/app.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { surfaceA } from '../../src/http/surface-a/surface-a.ts';
import { surfaceB } from '../../src/http/surface-b/surface-b.ts';
import { LastUsed } from '../../src/people/last-used.ts';
import type { LogLevel } from '../../src/settings/setting-forms.ts';
import type { Reader } from '../../src/storage/nouns.ts';
import { openTestGate, type TestGate, type TestGateOptions } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { answersMatchSchemas } from './answers-match-schemas.ts';

export interface TestAppOptions {
  mode?: 'test' | 'live';
  config?: Partial<Config>;
  logLevel?: LogLevel;
  deps?: Partial<AppDeps>;
  outside?: TestGateOptions['outside'];
}

export interface TestApp extends TestGate {
  app: FastifyInstance;
  lastUsed: LastUsed;
  /** Replaces reads of the app's storage, for example to make them fail; empty at first. */
  reads: Partial<Reader>;
  /** The parts from which the app was built, so that a test can build a variation. */
  parts: AppDeps;
  /** Everything logged so far. */
  log(): string;
  /**
   * @param options.present a person at their browser, signed in a few minutes ago at most
   * @example await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: { action: 'deploy' } })
   * @example await t.call('POST', `/v1/projects/${t.projectId}/start`, { present: t.owner, body: {} })
   */
  call(
    method: string,
    url: string,
    options?: {
      key?: string;
      present?: { userId: string };
      body?: unknown;
      headers?: Record<string, string>;
      address?: string;
    },
  ): Promise<{
    status: number;
    headers: Record<string, unknown>;
    body: Record<string, unknown>;
    text: string;
  }>;
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { outside } = options;
  const t = await openTestGate({ mode: options.mode ?? 'test', ...(outside ? { outside } : {}) });
  const lines: string[] = [];
  const destination: DestinationStream = { write: (line) => lines.push(line) };
  const answers = answersMatchSchemas();
  const lastUsed = new LastUsed(t.gate, (error) => {
    throw error;
  });
  const reads: Partial<Reader> = {};
  const read = readOtherwise(t.gate.storage.read, reads);
  const parts: AppDeps = {
    gate: { ...t.gate, storage: { ...t.gate.storage, read }, credentials: new KeptCredentials(read) },
    // Log as much as possible, because every test's log is searched for secrets.
    config: { ...readConfig({}), accessLog: 'with_addresses', ...options.config },
    logger: createLogger(options.logLevel ?? 'debug', destination),
    surfaces: { a: surfaceA, b: surfaceB },
    usage: lastUsed,
    ...options.deps,
  };
  const browsers = new Map<string, { signedIn: SignedIn; atMs: number }>();
  async function browserOf({ userId }: { userId: string }): Promise<SignedIn> {
    const now = Date.parse(t.clock.now());
    const known = browsers.get(userId);
    if (known && now - known.atMs < 10 * 60_000) return known.signedIn;
    const fresh = await signedIn(t.gate, userId);
    browsers.set(userId, { signedIn: fresh, atMs: now });
    return fresh;
  }
  const app = await buildApp({ ...parts, extensions: [answers.plugin, ...(parts.extensions ?? [])] });
  return {
    ...t,
    app,
    lastUsed,
    reads,
    parts,
    log: () => lines.join(''),
    async call(method, url, { key, present, body, headers = {}, address } = {}) {
      const browser = present ? await browserOf(present) : undefined;
      const response = await app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...browser?.headers,
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(address === undefined ? {} : { remoteAddress: address }),
      });
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      return {
        status: response.statusCode,
        headers: response.headers,
        body: (isJson && response.payload !== '' ? response.json() : {}) as Record<string, unknown>,
        text: response.payload,
      };
    },
    async close() {
      await app.close();
      await lastUsed.close();
      await t.close();
      answers.assertAll();
    },
  };
}

function readOtherwise(read: Reader, otherwise: Partial<Reader>): Reader {
  return new Proxy(read, {
    get(target, name) {
      const member = Reflect.get(Object.hasOwn(otherwise, name) ? otherwise : target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
