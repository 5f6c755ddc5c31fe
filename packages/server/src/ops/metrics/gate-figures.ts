/** The metrics of a gate. Each is named here and described in docs/operations.md. */

import { SealLagMeter } from '../../gate/audit/seal-lag.ts';
import { millisecondsBetween } from '../../gate/kernel/instant.ts';
import type { UpstreamServers } from '../../gateway/upstream/upstream-servers.ts';
import type { OpenGate } from '../../open-gate.ts';
import type { Outbox } from '../../outgoing/outbox/outbox.ts';
import { VERSION } from '../../runtime/version.ts';
import { Metrics } from './metrics.ts';

/** The range is from a policy that decides immediately to a person who decides after the weekend. */
const RESOLUTION_BUCKETS = [0.1, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 259_200];

/** The parts of a server that send messages and connect to MCP servers. */
interface Senders {
  outbox: Outbox;
  upstreams: UpstreamServers;
}

export function gateFigures(opened: OpenGate, { outbox, upstreams }: Senders): Metrics {
  const metrics = new Metrics();
  metrics.info('permitry_build_info', 'Version of this gate, and of Node.js.', {
    version: VERSION,
    node_version: process.versions.node,
  });
  metrics.gauge(
    'permitry_gates',
    'Gates that serve the database, as of the last heartbeat.',
    () => opened.heartbeats.living,
  );
  metrics.gauge(
    'permitry_commits_lost',
    '1 once this gate knows that its database lost commits, else 0.',
    () => (opened.gate.losses.intactUntil === null ? 0 : 1),
  );
  addIntents(metrics, opened);
  addWaiting(metrics, opened);
  addStorage(metrics, opened);
  addSigning(metrics, opened);
  addNotifications(metrics, opened, outbox);
  addWebhooks(metrics, opened, outbox);
  addGateway(metrics, opened);
  addUpstreams(metrics, opened, upstreams);
  addShadows(metrics, opened);
  addErasures(metrics, opened);
  return metrics;
}

function addErasures(metrics: Metrics, { gate }: OpenGate): void {
  const measure = () => gate.storage.read.measureUnfinishedErasures();
  metrics.ask('permitry_erasures_unfinished', 'Erasures whose texts may still be in the files.', async () => {
    return (await measure()).count;
  });
  metrics.ask(
    'permitry_erasures_unfinished_oldest_seconds',
    'Age of the oldest unfinished erasure; 0: there is none.',
    async () => {
      const { oldestSince } = await measure();
      return oldestSince === null ? 0 : millisecondsBetween(oldestSince, gate.clock.now()) / 1000;
    },
  );
}

function addIntents(metrics: Metrics, { gate, eventCounts }: OpenGate): void {
  metrics.counters(
    'permitry_events_total',
    'Events that this gate recorded, by type.',
    'type',
    () => eventCounts.types,
  );
  metrics.counters(
    'permitry_outcomes_total',
    'Outcomes that executors reported.',
    'outcome',
    () => eventCounts.outcomes,
  );
  const observe = metrics.histogram(
    'permitry_resolution_seconds',
    'From the creation of an intent to its decision, by kind of actor.',
    ['status', 'by'],
    RESOLUTION_BUCKETS,
  );
  gate.listeners.resolutions.listen(({ status, by, seconds }) => observe({ status, by }, seconds));
}

function addWaiting(metrics: Metrics, { gate, wakeups }: OpenGate): void {
  const { waitingReads: reads } = gate;
  const { waitingCalls: calls } = gate.tools;
  metrics.gauge('permitry_held_reads', 'Reads with ?wait= that are waiting.', () => wakeups.waiting);
  metrics.gauge('permitry_held_calls', 'Tool calls that are waiting.', () => calls.count);
  metrics.counters(
    'permitry_held_refused_total',
    'Reads and tool calls refused because too many were waiting.',
    'kind',
    () => ({ read: reads.refused, call: calls.refused }),
  );
}

/** Only PostgreSQL has retries, promotions and pools. */
function addStorage(metrics: Metrics, { gate, storage }: OpenGate): void {
  const { stats } = storage;
  metrics.counter('permitry_storage_commits_total', 'Commits, each of a group.', () => stats().commits);
  metrics.counter(
    'permitry_storage_failed_groups_total',
    'Groups of transactions that could not be begun or committed together.',
    () => stats().failedGroups,
  );
  metrics.counter('permitry_storage_transactions_total', 'Transactions.', () => stats().transactions);
  metrics.counter(
    'permitry_storage_refused_transactions_total',
    'Transactions that were rolled back because their work refused.',
    () => stats().refusedTransactions,
  );
  metrics.counters('permitry_storage_statements_total', 'SQL statements.', 'kind', () => {
    const { statementsRead, statementsWritten } = stats();
    return { read: statementsRead, write: statementsWritten };
  });
  if (stats().poolInUse !== undefined) {
    metrics.counter(
      'permitry_storage_retries_total',
      'Transactions begun again after a conflict with others.',
      () => stats().retries ?? 0,
    );
    metrics.counter(
      'permitry_storage_promotions_total',
      'Standbys that took the place of the primary.',
      () => stats().promotions ?? 0,
    );
    metrics.gauges('permitry_storage_pool_connections', 'Connections to PostgreSQL.', 'state', () => {
      const { poolInUse = 0, poolIdle = 0 } = stats();
      return { in_use: poolInUse, idle: poolIdle };
    });
    metrics.gauge(
      'permitry_storage_pool_waiting',
      'Callers waiting for a connection to PostgreSQL.',
      () => stats().poolWaiting,
    );
  }
  const lag = new SealLagMeter(gate);
  metrics.ask('permitry_seal_lag_seconds', 'Age of the oldest event that is not sealed.', async () => {
    const { seconds } = await lag.measure(performance.now());
    return seconds;
  });
}

function addSigning(metrics: Metrics, { signer }: OpenGate): void {
  metrics.counter(
    'permitry_signing_failures_total',
    'Signatures that failed.',
    () => signer.stats().failures,
  );
  metrics.gauge(
    'permitry_signing_unreadable_keys',
    'Stored signing keys that cannot be read, opened or verified.',
    () => signer.stats().unreadableKeys,
  );
  metrics.gauge(
    'permitry_signing_active_key_since_timestamp_seconds',
    'When the active signing key became active, in seconds since the epoch.',
    () => {
      const { activeSince } = signer.stats();
      return activeSince === null ? undefined : Date.parse(activeSince) / 1000;
    },
  );
}

function addNotifications(metrics: Metrics, { gate }: OpenGate, outbox: Outbox): void {
  const counts = outbox.toPeople;
  metrics.ask('permitry_notifications_waiting', 'Notifications that are queued, for all gates.', () =>
    gate.storage.read.countWaitingNotifications(),
  );
  metrics.counter('permitry_notifications_sent_total', 'Notifications that were sent.', () => counts.sent);
  metrics.counter(
    'permitry_notifications_failed_total',
    'Attempts to send notifications that failed.',
    () => counts.failed,
  );
  metrics.counter(
    'permitry_notifications_given_up_total',
    'Notifications that were given up.',
    () => counts.givenUp,
  );
}

/** Adds the counts of this gate, and the queue that all gates share. */
function addWebhooks(metrics: Metrics, { gate }: OpenGate, outbox: Outbox): void {
  const counts = outbox.toWebhooks;
  metrics.counter('permitry_webhooks_sent_total', 'Webhook deliveries that were sent.', () => counts.sent);
  metrics.counter(
    'permitry_webhooks_failed_total',
    'Attempts of webhook deliveries that failed.',
    () => counts.failed,
  );
  metrics.counter(
    'permitry_webhooks_given_up_total',
    'Webhook deliveries that were given up.',
    () => counts.givenUp,
  );
  const measure = () => gate.storage.read.measureWebhooks(gate.clock.now());
  metrics.ask(
    'permitry_webhooks_waiting',
    'Webhook deliveries that are queued, for all gates.',
    async () => (await measure()).waiting,
  );
  metrics.ask(
    'permitry_webhooks_oldest_seconds',
    'Age of the oldest queued webhook delivery; 0: there is none.',
    async () => {
      const { oldestWaitingSince } = await measure();
      return oldestWaitingSince === null
        ? 0
        : millisecondsBetween(oldestWaitingSince, gate.clock.now()) / 1000;
    },
  );
  metrics.ask(
    'permitry_webhooks_open_circuits',
    'Webhooks whose deliveries wait after repeated failures.',
    async () => (await measure()).openCircuits,
  );
}

function addGateway(metrics: Metrics, { gate }: OpenGate): void {
  const { runs } = gate.tools;
  metrics.gauge('permitry_gateway_running', 'Tool calls that run at this gate.', () => runs.running);
  metrics.counters(
    'permitry_gateway_calls_total',
    'Tool calls, by result. One that was pending counts again when it ends.',
    'result',
    () => runs.counts,
  );
}

/** Adds the counts of this gate, and the server states that all gates share. */
function addUpstreams(metrics: Metrics, { gate }: OpenGate, upstreams: UpstreamServers): void {
  metrics.counters(
    'permitry_upstream_calls_total',
    'Calls of MCP server tools, by result.',
    'result',
    () => upstreams.calls,
  );
  metrics.counter(
    'permitry_upstream_looks_total',
    'Checks of the tools of MCP servers.',
    () => upstreams.polls.polls,
  );
  metrics.counter(
    'permitry_upstream_failed_looks_total',
    'Checks of the tools of MCP servers that failed.',
    () => upstreams.polls.failedPolls,
  );
  metrics.gauge(
    'permitry_upstream_connections',
    'Connections of this gate to MCP servers.',
    () => upstreams.openConnections,
  );
  const measure = () => gate.storage.read.measureUpstreams();
  metrics.ask(
    'permitry_upstream_servers',
    'MCP servers that are registered.',
    async () => (await measure()).upstreams,
  );
  metrics.ask(
    'permitry_upstream_failing',
    'MCP servers that could not be reached at the last check.',
    async () => (await measure()).failing,
  );
  metrics.ask(
    'permitry_upstream_tools_to_approve',
    'Tools of MCP servers that need review.',
    async () => (await measure()).toolsToApprove,
  );
}

function addShadows(metrics: Metrics, { shadows }: OpenGate): void {
  const { counts } = shadows;
  metrics.counter(
    'permitry_shadow_evaluated_total',
    'Evaluations of shadow policies.',
    () => counts.evaluated,
  );
  metrics.counter(
    'permitry_shadow_diverged_total',
    'Evaluations of shadow policies that differ from the active policy.',
    () => counts.diverged,
  );
  metrics.counter(
    'permitry_shadow_missed_total',
    'Intents that shadow policies skipped.',
    () => counts.missed,
  );
  metrics.counter('permitry_shadow_failed_total', 'Failures of shadow policies.', () => counts.failed);
}
