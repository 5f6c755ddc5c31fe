/** The composition root: a gate, its HTTP door, and the order in which they start and stop. */
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { boundHeap } from './bound-heap.ts';
import { baseUrlFor, type Config } from './config.ts';
import { createAccountMail } from './delivery/mail/account-mail.ts';
import { createMailer } from './delivery/mail/mailer.ts';
import { ChatSender } from './delivery/notifications/chat-sender.ts';
import { MailSender } from './delivery/notifications/mail-sender.ts';
import { Notifications } from './delivery/notifications/notifications.ts';
import { openReach } from './delivery/notifications/open-reach.ts';
import { PushSender } from './delivery/notifications/push-sender.ts';
import { Outgoing } from './delivery/outgoing.ts';
import { RetentionSweeper } from './gate/erasure/retention-sweeper.ts';
import type { Gate } from './gate/gate.ts';
import { expireAllDue } from './gate/intents/expire.ts';
import { repeatedly } from './gate/repeatedly.ts';
import { buildApp } from './http/app.ts';
import { createLogger } from './http/shared/logger.ts';
import { Metrics } from './http/shared/metrics.ts';
import { sweepAnswers } from './http/shared/sweep-answers.ts';
import { surfaceA } from './http/surface-a/surface-a.ts';
import { surfaceB } from './http/surface-b/surface-b.ts';
import { createMetricsServer } from './http/well-known/metrics-page.ts';
import { forgetExpiredLinks } from './identity/forget-expired-links.ts';
import { LastUsed } from './identity/last-used.ts';
import { forgetExpiredChallenges } from './identity/passkeys/forget-expired-challenges.ts';
import { forgetOldSessions } from './identity/sessions/forget-old-sessions.ts';
import { type OpenGate, openGate } from './open-gate.ts';
import { rememberBaseUrl } from './served-base-url.ts';
import { KeyFolderWatch } from './signing/key-folder-watch.ts';
import { RotationSchedule } from './signing/rotation-schedule.ts';
import { lockForServing } from './storage/sqlite/serving-lock.ts';
import type { StorageStats } from './storage/storage.ts';

/** A gate that listens. */
export interface RunningServer {
  /** Where it can be reached from this machine. */
  url: string;
  port: number;
  gate: Gate;
  stats(): StorageStats;
  /** Refuses new connections, answers what is under way, then closes; within five seconds. */
  close(): Promise<void>;
}

/** Requests under way get this long to be answered when the server stops. */
const DRAIN_MS = 4000;
const LET_GO_EVERY_MS = 50;

interface Chore {
  everyMs: number;
  work: (gate: Gate) => Promise<unknown>;
  /** What the log says when it fails. */
  failure: string;
}

/** What a gate does by itself, one run of each at a time. */
const CHORES: readonly Chore[] = [
  // Expires what nobody looks at: one small query while nothing is due.
  { everyMs: 1000, work: expireAllDue, failure: 'expiry sweep failed' },
  { everyMs: 60_000, work: sweepAnswers, failure: 'expired answers could not be deleted' },
  {
    everyMs: 60_000,
    work: forgetExpiredChallenges,
    failure: 'challenges past their time could not be deleted',
  },
  { everyMs: 600_000, work: forgetExpiredLinks, failure: 'links past their time could not be deleted' },
  { everyMs: 600_000, work: forgetOldSessions, failure: 'sessions that ended could not be deleted' },
];

export interface ServerOptions {
  logger?: Logger;
  /** Run on the opened gate before anybody can reach it, e.g. to make its first project. */
  prepare?: (gate: Gate) => Promise<void>;
}

/**
 * Opens the gate and listens.
 *
 * @throws Error when another server has the directory, or the port; nothing is left open then
 * @example const server = await startServer(readConfig(process.env)); … await server.close();
 */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<RunningServer> {
  boundHeap();
  // First of all: base_url names the port, and without one nothing is to be made, or even opened.
  const port = await claimPort(config.host, config.port);
  // Before the gate is opened: a server that may not serve must not migrate what another one is serving.
  const lock = lockForServing(config.dataDir);
  try {
    return await serve({ ...config, port }, options, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function serve(
  config: Config,
  { logger = createLogger(config.logLevel), prepare }: ServerOptions,
  unlock: () => void,
): Promise<RunningServer> {
  const onError = (error: unknown, what: string): void => logger.error({ err: error }, what);
  const { port } = config;
  const issuer = baseUrlFor(config, port);
  const mailer = createMailer({ ...config.mail, baseUrl: issuer });
  const outgoing = new Outgoing({ allowedPrivate: config.allowPrivateTargets });
  const opened = await openGate({
    reach: openReach(mailer, outgoing),
    dataDir: config.dataDir,
    issuer,
    accountMail: createAccountMail(mailer, onError),
    signingKeys: config.signingKeys,
    retentionDays: config.retentionDays,
    onError,
  });
  const { gate } = opened;
  const usage = new LastUsed(gate, (error) => onError(error, 'last use could not be written'));
  const retention = new RetentionSweeper(gate, gate.retentionDays, (error) =>
    onError(error, 'texts that are kept no longer could not be erased'),
  );
  const keys = new KeyFolderWatch(opened.signer, config.dataDir, {
    error: (error) => onError(error, 'the signing keys could not be read again'),
    change: () => opened.recordKeyChanges(),
  });
  const rotation = new RotationSchedule(opened.signer, config.signingKeys.rotationDays, {
    error: (error) => onError(error, 'the signing key could not be rotated'),
    async rotated(kid) {
      logger.info({ kid }, 'the signing key was rotated');
      await opened.recordKeyChanges();
    },
  });
  const notifications = new Notifications(gate, {
    senders: [
      new MailSender(gate, mailer),
      new PushSender(gate, outgoing, config.mail.from?.address ?? null),
      new ChatSender(gate, outgoing),
    ],
    onError,
  });
  const metrics = metricsOf(opened, notifications);
  const metricsServer = config.metricsPort === null ? null : createMetricsServer(metrics);
  const stopChores: (() => Promise<void>)[] = [];
  let draining = false;
  let app: FastifyInstance | undefined;

  async function letGo(): Promise<void> {
    metricsServer?.close();
    await keys.stop();
    await rotation.stop();
    outgoing.close();
    await notifications.stop();
    await Promise.all(stopChores.map((stopChore) => stopChore()));
    await retention.stop();
    await usage.close();
    mailer.close();
    await opened.close();
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
      isDraining: () => draining,
    });
    if (metricsServer) await listen(metricsServer, config.metricsPort ?? 0, config.host);
    await app.listen({ host: config.host, port });
    rememberBaseUrl(config.dataDir, gate.issuer);
  } catch (error) {
    await app?.close();
    await letGo();
    throw error;
  }
  for (const { everyMs, work, failure } of CHORES) {
    stopChores.push(
      repeatedly(
        everyMs,
        () => work(gate),
        (error) => onError(error, failure),
      ),
    );
  }
  retention.start();
  keys.start();
  rotation.start();
  await notifications.start();
  for (const complaint of opened.signer.complaints()) logger.warn(complaint);
  logger.info({ host: config.host, port, data: config.dataDir }, 'listening');

  const listening = app;
  async function stop(): Promise<void> {
    draining = true;
    logger.info('stopping');
    opened.wakeups.close();
    void gate.simulations.close();
    await drain(
      () => listening.close(),
      () => listening.server.closeIdleConnections(),
      () => listening.server.closeAllConnections(),
    );
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

function metricsOf(opened: OpenGate, notifications: Notifications): Metrics {
  const metrics = new Metrics();
  metrics.expose('permitry_storage', 'Counts of the storage since it was opened', () =>
    opened.storage.stats(),
  );
  metrics.expose('permitry_signing', 'Signing keys', () => opened.signer.stats());
  metrics.expose(
    'permitry_shadow',
    'Intents that shadow policies were asked about since the start',
    () => opened.gate.shadows.counts,
  );
  metrics.expose('permitry_notifications', 'Notifications, but for those that wait since the start', () =>
    notifications.counts(),
  );
  metrics.expose('permitry', 'Those who wait for an intent', () => ({ waiting: opened.wakeups.waiting }));
  return metrics;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whether the gate will be able to listen there; answers the port, a free one for 0. */
async function claimPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  await listen(probe, port, host);
  const { port: claimed } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return claimed;
}

/** Where this machine reaches what listens on a host. */
function addressFor(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * Waits for requests under way. A connection that was kept alive is let go as soon as it is answered, or its client
 * would hold us up; those that are still open after `DRAIN_MS` are cut.
 */
async function drain(close: () => Promise<void>, letGo: () => void, cut: () => void): Promise<void> {
  const letting = setInterval(letGo, LET_GO_EVERY_MS);
  const cutting = setTimeout(cut, DRAIN_MS);
  await close();
  clearInterval(letting);
  clearTimeout(cutting);
}
