/** Composes the HTTP server: the shared steps first, then the surfaces, then the public pages. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Caller } from '../gate/access/caller.ts';
import { Refusals } from '../gate/intents/refusals.ts';
import { millisecondsOf } from '../gate/kernel/clock.ts';
import type { GateParts } from '../open-gate.ts';
import type { Metrics } from '../ops/metrics/metrics.ts';
import { SealedTails } from '../streams/sealed-tails.ts';
import { sendTogether } from './answers/send-together.ts';
import { CONSOLE_PREFIX, consoleRoutes } from './console/console.ts';
import { addPages } from './console/pages.ts';
import { answerClientError, UnmetExpectation } from './errors/client-errors.ts';
import { answerUnrouted, type ErrorHandling, handleErrors } from './errors/handle-errors.ts';
import { Limits } from './limits/limits.ts';
import { writeAccessLog } from './log/access-log.ts';
import { mcpRoutes } from './mcp/mcp.ts';
import { AnswerOnce } from './once/answer-once.ts';
import type { GateApp, Surface } from './routes/surface.ts';
import { optionsOfRoutes, takeSharedSteps } from './shared-steps.ts';
import { addOpenApi } from './well-known/openapi.ts';
import { addWellKnown } from './well-known/well-known.ts';

export interface AppDeps {
  gate: GateParts;
  config: Config;
  logger: Logger;
  surfaces: { a: Surface; b: Surface };
  /** Called for every valid use of a credential. */
  usage: { note(caller: Caller): void };
  /** Counts requests for `/metrics`. Null: no counting and no `/metrics`. */
  metrics?: Metrics | null;
  /** True as soon as the process is asked to stop. `/readyz` reports it. */
  isDraining?: () => boolean;
  /** Traces requests. Default: no tracing. */
  tracing?: {
    observe(app: FastifyInstance): void;
    traceOf(request: FastifyRequest): string | undefined;
  } | null;
  /** Plugins whose hooks see every route, e.g. a test's check of answers. They are registered first. */
  extensions?: readonly FastifyPluginCallback[];
  /** How long a request may take to arrive, and how long a connection may stay silent in both directions. */
  arrival?: { headersMs: number; requestMs: number; silentMs?: number };
}

const ARRIVAL = { headersMs: 10_000, requestMs: 30_000 };
const KEEP_ALIVE_MS = 65_000;
/**
 * A read waits for at most a minute, and a stream sends something every 15 s. A client that accepts nothing for longer
 * than this is not reading.
 */
const SILENT_MS = 120_000;
const MOST_CONNECTIONS = 20_000;

/** Builds the app, ready to listen or for `inject`. `close()` ends the app; the caller closes the gate's parts. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { gate, config, logger, surfaces } = deps;
  const limits = new Limits(config.rateLimitPerMinute, millisecondsOf(gate.clock), gate.budgets);
  const handling: ErrorHandling = {
    tables: { a: surfaces.a.errors, b: surfaces.b.errors },
    limits,
    logger,
    refusals: new Refusals(gate),
  };
  const app = createServer(deps, handling);

  takeSharedSteps(app, { gate, limits, usage: deps.usage });
  // Answers contain text from agents, and browsers with a session can read all surfaces. `nosniff` makes browsers keep
  // to the declared type.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('onRoute', (route) => {
    // The dashboard's own routes are not part of the published reference.
    if (route.prefix === CONSOLE_PREFIX) route.schema = { ...route.schema, hide: true };
  });
  app.addHook('onClose', () => limits.close());
  // Registered before everything that answers, so that refused requests are logged too.
  const { tracing } = deps;
  tracing?.observe(app);
  writeAccessLog(app, logger, config.accessLog, (request) => tracing?.traceOf(request));
  handleErrors(app, handling);
  sendTogether(app, logger);
  leaveWhileDraining(app, deps.isDraining);
  deps.metrics?.observe(app);
  if (deps.metrics) countLimits(deps.metrics, limits);
  await addOpenApi(app, gate.issuer, handling.tables);
  for (const extension of deps.extensions ?? []) await app.register(extension);

  const once = new AnswerOnce(gate, handling.tables);
  const tails = new SealedTails(gate, (error) =>
    logger.warn({ err: error }, 'logs that streams follow could not be read'),
  );
  app.addHook('onClose', () => tails.close());
  const tools = { gate, once, logger, tails, metrics: deps.metrics ?? null };
  for (const surface of [surfaces.a, surfaces.b]) {
    await app.register(async (scope) => surface.routes(scope as GateApp, tools), { prefix: surface.prefix });
  }
  await app.register(
    async (scope) => consoleRoutes(scope as GateApp, { ...tools, config, errors: surfaces.b.errors }),
    {
      prefix: CONSOLE_PREFIX,
    },
  );
  await app.register(async (scope) => mcpRoutes(scope as GateApp, { ...tools, errors: surfaces.b.errors }));
  await addPages(app, { baseUrl: gate.issuer });
  await addWellKnown(app, {
    gate,
    metrics: deps.metrics ?? null,
    metricsToken: config.metricsToken,
    isDraining: deps.isDraining ?? (() => false),
    document: () => app.swagger(),
  });
  await app.ready();
  return app;
}

function createServer(
  { gate, config, logger, arrival = ARRIVAL }: AppDeps,
  handling: ErrorHandling,
): FastifyInstance {
  const hops = config.trustProxy;
  const options: FastifyHttpOptions<RawServerDefault> = {
    ...optionsOfRoutes(gate),
    trustProxy: typeof hops === 'number' ? (_address: string, hop: number) => hop < hops : hops,
    rewriteUrl: ({ url = '/' }) => toPath(url),
    requestTimeout: arrival.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: arrival.silentMs ?? SILENT_MS,
    return503OnClosing: false,
    http: {
      headersTimeout: arrival.headersMs,
      connectionsCheckingInterval: Math.min(1000, arrival.headersMs),
      maxHeaderSize: 16 * 1024,
      // When a header such as a credential or a content type is repeated, Node would use the first value. A proxy in
      // front may use the last.
      joinDuplicateHeaders: true,
    },
    frameworkErrors: (error, request, reply) => {
      answerUnrouted(handling, error, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      answerClientError({ ids: gate.ids, tables: handling.tables, logger }, error, socket as Socket);
    },
  };
  const app = Fastify(options);
  app.server.maxConnections = MOST_CONNECTIONS;
  // Node itself would answer with only a status.
  app.server.on('checkExpectation', ({ socket }: IncomingMessage) => {
    answerClientError({ ids: gate.ids, tables: handling.tables, logger }, new UnmetExpectation(), socket);
  });
  return app;
}

/** Matches nearly all targets, which need no decoding or normalising. */
const PLAIN_PATH = /^\/[\w.~/-]*$/;

/**
 * The path of a request target. A target may be a whole address (RFC 9112 §3.2.2). From here on, all code sees only the
 * path, whatever host the address names. Some clients append the paths of surface B to a base address that already ends
 * in `/v1`.
 */
function toPath(target: string): string {
  if (PLAIN_PATH.test(target) && !target.startsWith('/v1/v1/')) return target;
  const path = spellPlainly(target.replace(/^https?:\/\/[^/?#]*\/?/i, '/'));
  return path.startsWith('/v1/v1/') ? path.slice('/v1'.length) : path;
}

/**
 * A letter, digit or one of `-._~` is the same as its `%XX` (RFC 3986 §6.2.2.2). With one spelling, routes, rights, the
 * words of a surface and idempotency keys all see the same path.
 */
function spellPlainly(target: string): string {
  const [path = '', query] = target.split(/(?=[?#])(.*)/s, 2);
  const plain = path.replace(/%[0-9a-f]{2}/gi, (coded) => {
    const char = String.fromCharCode(Number.parseInt(coded.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : coded.toUpperCase();
  });
  return plain + (query ?? '');
}

function countLimits(metrics: Metrics, limits: Limits): void {
  metrics.counters(
    'permitry_rate_limited_requests_total',
    'Requests refused by a rate limit, by whose limit it is.',
    'limit',
    () => limits.refusals(),
  );
  metrics.counter(
    'permitry_limiter_asks_total',
    'Statements that asked the database for parts of shared rate limits.',
    () => limits.counts().asks,
  );
  metrics.counter(
    'permitry_limiter_failed_asks_total',
    'Statements for parts of shared rate limits that failed.',
    () => limits.counts().failedAsks,
  );
  metrics.counter(
    'permitry_limiter_granted_total',
    'Requests that this gate was granted of shared rate limits.',
    () => limits.counts().granted,
  );
  metrics.counter(
    'permitry_limiter_given_back_total',
    'Granted requests that this gate gave back unused.',
    () => limits.counts().givenBack,
  );
}

/**
 * While the gate drains, closes connections after their answer. Clients then reconnect to a gate that keeps running.
 */
function leaveWhileDraining(app: FastifyInstance, isDraining: (() => boolean) | undefined): void {
  if (!isDraining) return;
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
}
