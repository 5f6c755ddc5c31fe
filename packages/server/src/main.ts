/** The composition root: a gate, its HTTP server, and the order in which they start and stop. */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { rememberBaseUrl } from './administration/served-base-url.ts';
import { baseUrlFor, type Config, databaseOf } from './config.ts';
import { findOpenDirectory } from './files/find-open-directory.ts';
import { RetentionSweeper } from './gate/erasure/retention-sweeper.ts';
import { notificationLog } from './gate/notifications/read-log.ts';
import { webhookLog } from './gate/webhooks/fill-deliveries.ts';
import { openUpstreamServers } from './gateway/upstream/open-upstream-servers.ts';
import { buildApp } from './http/app.ts';
import { addressFor, claimPort, drain, listen } from './http/listening.ts';
import { complainTo } from './http/log/complaints.ts';
import { createLogger } from './http/log/logger.ts';
import { surfaceA } from './http/surface-a/surface-a.ts';
import { surfaceB } from './http/surface-b/surface-b.ts';
import { createMetricsServer } from './http/well-known/metrics-page.ts';
import type { GateParts } from './open-gate.ts';
import { openGate } from './open-gate.ts';
import { careForKeys } from './ops/chores/care-for-keys.ts';
import { startChores } from './ops/chores/chores.ts';
import { gateFigures } from './ops/metrics/gate-figures.ts';
import { servedUntilFile } from './ops/restore-detection/loss-watch.ts';
import type { Tracing } from './ops/telemetry/tracing.ts';
import { createAccountMail } from './outgoing/mail/account-mail.ts';
import { createMailer } from './outgoing/mail/mailer.ts';
import { ChatSender } from './outgoing/notifications/chat-sender.ts';
import { MailSender } from './outgoing/notifications/mail-sender.ts';
import { openReach } from './outgoing/notifications/open-reach.ts';
import { PushSender } from './outgoing/notifications/push-sender.ts';
import { Outbox } from './outgoing/outbox/outbox.ts';
import { Outgoing } from './outgoing/outgoing.ts';
import { openWebhookClient, WebhookSender } from './outgoing/webhooks/webhook-sender.ts';
import { LastUsed } from './people/last-used.ts';
import { boundHeap } from './runtime/bound-heap.ts';
import { lockForServing } from './storage/sqlite/serving-lock.ts';
import type { StorageStats } from './storage/storage.ts';

/** A listening gate. */
export interface RunningServer {
  /** The address at which this machine can reach the server. */
  url: string;
  port: number;
  gate: GateParts;
  stats(): StorageStats;
  /**
   * First reports that the server is not ready, and keeps serving for `drainDelaySeconds`. Then refuses new
   * connections, answers the requests in progress, and closes, within five more seconds.
   */
  close(): Promise<void>;
}

export interface ServerOptions {
  logger?: Logger;
  /** Runs on the opened gate before anybody can reach it, e.g. to create its first project. */
  prepare?: (gate: GateParts) => Promise<void>;
}

/** Shorter than the time for requests to end, so that requests that wait for a tool still get an answer. */
const TOOLS_END_WITHIN_MS = 3000;
/** Bytes: twice the live heap of a gate under load. */
const HEAP_ROOM_ON_POSTGRES = 160 * 1024 * 1024;

/**
 * Opens the gate and listens.
 *
 * @throws Error when another server uses the directory or the port; then nothing stays open
 * @example const server = await startServer(readConfig(process.env)); … await server.close();
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  boundHeap(config.databaseUrl ? { roomBytes: HEAP_ROOM_ON_POSTGRES } : {});
  // The port comes first, because base_url contains it. Without a port, nothing may be created or even opened.
  const port = await claimPort(config.host, config.port);
  // The lock comes before the gate is opened: a server that may not serve must not migrate the database of another
  // server. A PostgreSQL database may have several servers.
  const lock = config.databaseUrl ? null : lockForServing(config.dataDir);
  const unlock = () => lock?.release();
  try {
    return await serve({ ...config, port }, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function serve(
  config: Config,
  { logger = createLogger(config.logLevel), prepare }: ServerOptions,
  unlock: () => void,
): Promise<RunningServer> {
  const onError = complainTo(logger);
  const { port } = config;
  const issuer = baseUrlFor(config, port);
  const mailer = await createMailer({ ...config.mail, baseUrl: issuer });
  const outgoing = new Outgoing({ allowedPrivate: config.allowPrivateTargets });
  const tracing = await openTracing(config.traces, logger);
  const upstreams = openUpstreamServers(process.env, {
    allowedPrivate: config.allowPrivateTargets,
    onError,
    onErrorLine: (line, { name, id }) =>
      logger.info({ upstream: name, upstream_id: id, line }, 'an upstream server wrote'),
  });
  const opened = await openGate({
    reach: openReach(mailer, outgoing),
    upstreams,
    database: databaseOf(config),
    schema: config.migrateAtStart ? 'update' : 'check',
    onMigrating: (sentence) => logger.warn(sentence),
    issuer,
    accountMail: createAccountMail(mailer, onError),
    signingKeys: config.signingKeys,
    retentionDays: config.retentionDays,
    serving: true,
    ...(existsSync(config.dataDir) ? { servedUntilFile: servedUntilFile(config.dataDir) } : {}),
    ...(tracing ? { traced: tracing.ports(config.databaseUrl ? 'postgresql' : 'sqlite') } : {}),
    onError,
  });
  const { gate } = opened;
  const usage = new LastUsed(gate, (error) => onError(error, 'last use could not be written'));
  const retention = new RetentionSweeper(gate, gate.retentionDays, (error) =>
    onError(error, 'texts past their retention time could not be erased'),
  );
  const keys = careForKeys(opened, config, { logger, onError });
  const webhookClient = openWebhookClient(config.allowPrivateTargets);
  const outbox = new Outbox(gate, {
    readers: [notificationLog(gate), webhookLog(gate)],
    senders: [
      new MailSender(gate, issuer, mailer),
      new PushSender(gate, issuer, outgoing, config.mail.from?.address ?? null),
      new ChatSender(gate, issuer, outgoing),
      new WebhookSender(gate, tracing?.deliveries(webhookClient, 'deliver webhook') ?? webhookClient),
    ],
    onError,
    cut: () => {
      webhookClient.close();
      outgoing.close();
    },
  });
  const metrics = gateFigures(opened, { outbox, upstreams });
  const metricsServer = config.metricsPort === null ? null : createMetricsServer(metrics);
  let stopChores: (() => Promise<void>) | undefined;
  let draining = false;
  let app: FastifyInstance | undefined;

  async function letGo(): Promise<void> {
    metricsServer?.close();
    await keys.stop();
    outgoing.close();
    await outbox.stop();
    await stopChores?.();
    await retention.stop();
    await usage.close();
    mailer.close();
    await opened.close();
    await tracing?.close();
    unlock();
  }
  try {
    await prepare?.(gate);
    app = await buildApp({
      gate,
      config,
      logger,
      surfaces: { a: surfaceA, b: surfaceB },
      usage,
      metrics,
      tracing,
      isDraining: () => draining,
    });
    if (metricsServer) await listen(metricsServer, config.metricsPort ?? 0, config.host);
    await app.listen({ host: config.host, port });
    await rememberBaseUrl(config, gate);
  } catch (error) {
    await app?.close();
    await letGo();
    throw error;
  }
  stopChores = startChores(gate, onError);
  retention.start();
  keys.start();
  outbox.start();
  for (const complaint of opened.signer.complaints()) logger.warn(complaint);
  const openToOthers = findOpenDirectory(config.dataDir);
  if (openToOthers !== undefined) logger.warn(openToOthers);
  logger.info({ host: config.host, port, data: config.databaseUrl?.shown ?? config.dataDir }, 'listening');

  const listening = app;
  async function stop(): Promise<void> {
    draining = true;
    logger.info({ serves_on_seconds: config.drainDelaySeconds }, 'stopping');
    // Load balancers check /readyz from time to time, and send requests until they notice.
    await pause(config.drainDelaySeconds * 1000);
    opened.wakeups.close();
    void gate.simulations.close();
    // The outbox stops while requests are answered, because both share the same short time.
    const delivered = outbox.stop();
    // Running tools get some time to end. Then requests that still wait for a tool are told to come back, before
    // connections are cut.
    const settled = gate.tools.runs.close(TOOLS_END_WITHIN_MS);
    await drain(
      () => listening.close(),
      () => listening.server.closeIdleConnections(),
      () => listening.server.closeAllConnections(),
    );
    await Promise.all([delivered, settled]);
    await letGo();
  }
  let stopping: Promise<void> | undefined;
  return {
    url: addressFor(config.host, port),
    port,
    gate,
    stats: () => opened.storage.stats(),
    close: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Loads the SDK only if it is used, so that it costs nothing otherwise. */
async function openTracing(settings: Config['traces'], logger: Logger): Promise<Tracing | null> {
  if (settings === null) return null;
  const sdk = await import('./ops/telemetry/open-tracing.ts');
  return sdk.openTracing(settings, (message) => logger.warn({ message }, 'spans could not be sent'));
}
