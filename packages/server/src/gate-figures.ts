/** Which figures of a gate there are: each is named here, and described in docs/operations.md. */
import type { Notifications } from './delivery/notifications/notifications.ts';
import type { Webhooks } from './delivery/webhooks/webhooks.ts';
import { SealLagMeter } from './gate/audit/seal-lag.ts';
import { millisecondsBetween } from './gate/instant.ts';
import type { UpstreamServers } from './gateway/upstream/upstream-servers.ts';
import { Metrics } from './http/shared/metrics.ts';
import type { OpenGate } from './open-gate.ts';

/** From a policy that decides at once to a person who comes back from the weekend. */
const RESOLUTION_BUCKETS = [0.1, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 259_200];

/** What sends and connects beside the gate. */
interface Senders {
  notifications: Notifications;
  webhooks: Webhooks;
  upstreams: UpstreamServers;
}

export function gateFigures(opened: OpenGate, { notifications, webhooks, upstreams }: Senders): Metrics {
  const { gate, storage, signer, wakeups } = opened;
  const metrics = new Metrics();
  metrics.expose('permitry_storage', 'Counts of the storage since it was opened', () => storage.stats());
  metrics.expose('permitry_signing', 'Signing keys', () => signer.stats());
  metrics.expose(
    'permitry_shadow',
    'Intents that shadow policies were asked about since the start',
    () => gate.shadows.counts,
  );
  metrics.expose(
    'permitry_gateway',
    'Calls of tools since the start, by what they came to',
    () => gate.toolRuns.counts,
  );
  metrics.gauge('permitry_gateway_running', 'Tools that run at this gate.', () => gate.toolRuns.running);
  metrics.expose('permitry_notifications', 'Notifications, since the start', () => {
    const { sent, failed, givenUp } = notifications.counts();
    return { sent, failed, givenUp };
  });
  metrics.ask('permitry_notifications_waiting', 'Notifications that wait to be sent, by any gate.', () =>
    gate.committed.countWaitingNotifications(),
  );
  addWebhooks(metrics, opened, webhooks);
  addUpstreams(metrics, opened, upstreams);
  metrics.gauge('permitry_waiting', 'Reads with ?wait= that are held.', () => wakeups.waiting);
  const { reads, calls } = gate.held;
  metrics.gauge('permitry_held_calls', 'Calls of tools that are held.', () => calls.count);
  metrics.expose(
    'permitry_held_refused',
    'Answers that were one too many to be held, since the start',
    () => ({
      reads: reads.refused,
      calls: calls.refused,
    }),
  );
  metrics.gauge(
    'permitry_gates',
    'Gates that serve the database, as this one heard.',
    () => opened.heartbeats.living,
  );
  const lag = new SealLagMeter(gate);
  metrics.ask('permitry_seal_lag_seconds', 'Age of the oldest event that is not sealed.', async () => {
    const { seconds } = await lag.measure(performance.now());
    return seconds;
  });
  addResolutions(metrics, opened);
  return metrics;
}

function addResolutions(metrics: Metrics, { gate }: OpenGate): void {
  const observe = metrics.histogram(
    'permitry_resolution_seconds',
    'From the creation of an intent to its decision, by who decided.',
    ['status', 'by'],
    RESOLUTION_BUCKETS,
  );
  const count = metrics.counter('permitry_expired_total', 'Intents that nobody decided in time.', []);
  gate.resolutions.listen(({ status, by, seconds }) => {
    if (seconds === null) count({});
    else observe({ status, by }, seconds);
  });
}

/** What this gate did with them, and how all gates found them. */
function addUpstreams(metrics: Metrics, { gate }: OpenGate, upstreams: UpstreamServers): void {
  metrics.expose(
    'permitry_upstream',
    'Calls of tools of upstream servers, and looks at them, since the start',
    () => upstreams.counts,
  );
  metrics.gauge(
    'permitry_upstream_connections',
    'Connections of this gate to upstream servers.',
    () => upstreams.openConnections,
  );
  const measure = () => gate.committed.measureUpstreams();
  metrics.ask('permitry_upstream_servers', 'Upstream servers that are registered.', async () => {
    return (await measure()).upstreams;
  });
  metrics.ask('permitry_upstream_failing', 'Those that could not be talked to last.', async () => {
    return (await measure()).failing;
  });
  metrics.ask('permitry_upstream_tools_to_approve', 'Tools of theirs that wait for somebody.', async () => {
    return (await measure()).toolsToApprove;
  });
}

/** What this gate sent, and the queue that all gates have in common. */
function addWebhooks(metrics: Metrics, { gate }: OpenGate, webhooks: Webhooks): void {
  metrics.expose('permitry_webhooks', 'Deliveries to webhooks, since the start', () => webhooks.counts);
  const measure = () => gate.committed.measureWebhooks(gate.clock.now());
  metrics.ask('permitry_webhooks_waiting', 'Deliveries that wait to be sent, by any gate.', async () => {
    return (await measure()).waiting;
  });
  metrics.ask('permitry_webhooks_oldest_seconds', 'Age of the oldest of them; 0: none waits.', async () => {
    const { oldestWaitingSince } = await measure();
    return oldestWaitingSince === null ? 0 : millisecondsBetween(oldestWaitingSince, gate.clock.now()) / 1000;
  });
  metrics.ask('permitry_webhooks_open_circuits', 'Webhooks that are left alone for a while.', async () => {
    return (await measure()).openCircuits;
  });
}
