import type { JsonObject } from '@permitry/protocol';
import type { Actor } from '../access/caller.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { ProjectWriter } from '../projects/project.ts';
import { compareTools, isNothing, type ToolChanges } from './compare-tools.ts';
import type { Upstream, UpstreamReader } from './upstream.ts';
import type { UpstreamPoll } from './upstream-client.ts';
import type { UpstreamDeps } from './upstream-deps.ts';

const POLLER: Actor = { type: 'system', id: 'upstreams', display: 'upstream servers' };

/** How often the gate writes that a server is reachable, if nothing else changes. */
const SEEN_EVERY_SECONDS = 300;
/** Names per list in an event. */
const MOST_NAMED = 50;

/**
 * Stores the result of a check. A tool that differs from its approval is disabled for every gate from then on. Writes
 * nothing if nothing changed.
 *
 * @returns false if the server was removed, or its address or headers changed during the check: the result is then
 * ignored
 */
export async function recordPoll(
  gate: UpstreamDeps,
  upstream: Upstream,
  poll: UpstreamPoll,
): Promise<boolean> {
  const now = gate.clock.now();
  if (poll.kind === 'failed') return recordFailure(gate, upstream, poll.error, now);
  const { id, projectId, version } = upstream;
  const compare = async (read: Pick<UpstreamReader, 'listUpstreamTools'>) =>
    compareTools({ projectId, upstreamId: id }, await read.listUpstreamTools(id), poll.tools, now);
  const stands = await gate.storage.read.findUpstream(projectId, id);
  if (stands?.version !== version) return false;
  const isLatelySeen =
    stands.failingSince === null &&
    stands.polledAt !== null &&
    now < addSeconds(stands.polledAt, SEEN_EVERY_SECONDS);
  if (isLatelySeen && isNothing(await compare(gate.storage.read))) return true;
  return gate.storage.transaction(async (tx) => {
    if (!(await tx.noteUpstreamSeen(id, version, poll.server, now))) return false;
    const changes = await compare(tx);
    for (const tool of changes.put) await tx.putUpstreamTool(tool);
    for (const name of changes.forgotten) await tx.deleteUpstreamTool(id, name);
    await recordChanges(gate, tx, upstream, changes, now);
    return true;
  });
}

async function recordFailure(
  gate: Pick<UpstreamDeps, 'storage'>,
  upstream: Upstream,
  error: string,
  now: Instant,
): Promise<boolean> {
  const stands = await gate.storage.read.findUpstream(upstream.projectId, upstream.id);
  if (stands?.version !== upstream.version) return false;
  if (stands.error === error) return true;
  return gate.storage.transaction((tx) => tx.noteUpstreamFailure(upstream.id, upstream.version, error, now), {
    guarded: true,
  });
}

async function recordChanges(
  gate: Pick<UpstreamDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter & ProjectWriter,
  { id, projectId, name }: Upstream,
  { found, changed, gone, returned }: ToolChanges,
  occurredAt: Instant,
): Promise<void> {
  const of = { upstream_id: id, name };
  const record = (type: 'upstream.tools_found' | 'upstream.tools_changed', data: JsonObject) =>
    recordEvent(gate, tx, { projectId, type, occurredAt, actor: POLLER, data: { ...of, ...data } });
  if (found.length > 0) await record('upstream.tools_found', { tools: named(found), count: found.length });
  if (changed.length + gone.length + returned.length === 0) return;
  await tx.bumpProjectRevision(projectId);
  await record('upstream.tools_changed', {
    changed: named(changed),
    gone: named(gone),
    returned: named(returned),
    count: changed.length + gone.length + returned.length,
  });
}

function named(names: readonly string[]): string[] {
  return names.slice(0, MOST_NAMED);
}
