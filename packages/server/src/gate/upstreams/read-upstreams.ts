import { assertPresentFor } from '../access/assert-present.ts';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { unknownUpstream } from '../kernel/not-found.ts';
import { type Page, type PageRequest, pageOfSet } from '../kernel/page.ts';
import type { Tool } from '../tools/connectors.ts';
import { recordPoll } from './record-poll.ts';
import type { Upstream, UpstreamTool } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';

interface Named {
  projectId: string;
  upstreamId: string;
}

export async function listUpstreams(
  gate: Pick<UpstreamDeps, 'storage'>,
  caller: Caller,
  { projectId, ...page }: { projectId: string } & PageRequest,
): Promise<Page<Upstream>> {
  assertScope(caller, 'upstreams:read', projectId);
  return pageOfSet(page, await gate.storage.read.listUpstreams(projectId), ({ id }) => id);
}

/** @throws GateError `not_found` */
export async function getUpstream(
  gate: Pick<UpstreamDeps, 'storage'>,
  caller: Caller,
  { projectId, upstreamId }: Named,
): Promise<Upstream> {
  assertScope(caller, 'upstreams:read', projectId);
  const upstream = await gate.storage.read.findUpstream(projectId, upstreamId);
  if (!upstream) throw unknownUpstream();
  return upstream;
}

/** Lists, by name, all tools that the server lists and all tools that were approved. @throws GateError `not_found` */
export async function listUpstreamTools(
  gate: Pick<UpstreamDeps, 'storage'>,
  caller: Caller,
  named: Named,
): Promise<readonly UpstreamTool[]> {
  const { id } = await getUpstream(gate, caller, named);
  return gate.storage.read.listUpstreamTools(id);
}

/** Lists, by name, every tool behind the project's gateway as agents see it. */
export async function listProtectedTools(
  gate: Pick<UpstreamDeps, 'clock' | 'tools'>,
  caller: Caller,
  projectId: string,
): Promise<readonly Tool[]> {
  assertScope(caller, 'upstreams:read', projectId);
  return gate.tools.connectors.list(projectId);
}

/**
 * Asks the server for its current tools and stores the answer. If the server cannot be reached, the returned server
 * shows the error.
 *
 * @throws GateError `not_found`, `forbidden`, `proof_required`
 */
export async function refreshUpstream(gate: UpstreamDeps, caller: Caller, named: Named): Promise<Upstream> {
  assertScope(caller, 'upstreams:write', named.projectId);
  assertPresentFor(gate, caller, 'upstreams:write');
  const upstream = await getUpstream(gate, caller, named);
  await recordPoll(gate, upstream, await gate.upstreamClient.poll(upstream));
  return getUpstream(gate, caller, named);
}
