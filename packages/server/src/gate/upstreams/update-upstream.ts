import type { RiskTier } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { unknownUpstream } from '../kernel/not-found.ts';
import { changeProject, type ProjectChange } from '../projects/change-project.ts';
import type { Upstream, UpstreamReader, UpstreamSettings, UpstreamWriter } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';
import { checkTimeout, openSettings, sealSettings } from './upstream-settings.ts';

/** Omitted properties do not change. Only a server of kind `http` has an address and headers. */
export interface UpstreamChange {
  projectId: string;
  upstreamId: string;
  url?: string;
  /** Headers by name. Null removes a header. Others stay. */
  headers?: Readonly<Record<string, string | null>>;
  riskTier?: RiskTier;
  timeoutSeconds?: number;
}

/**
 * Changes how a server is reached, and the limits of its tools. A new address may be another server, so its tools
 * need approval again.
 *
 * @throws GateError `project_not_found`, `not_found`, `forbidden`, `proof_required`, `invalid_fields`, `conflict`
 */
export async function updateUpstream(
  gate: UpstreamDeps,
  caller: Caller,
  change: UpstreamChange,
): Promise<Upstream> {
  const { projectId, upstreamId } = change;
  assertScope(caller, 'upstreams:write', projectId);
  const { upstream: changed, isReachedOtherwise } = await changeProject(
    gate,
    caller,
    projectId,
    'upstreams:write',
    async (at) => {
      const { tx, now, record } = at;
      const known = await tx.findUpstream(projectId, upstreamId);
      if (!known) throw unknownUpstream();
      const before = openSettings(gate, known);
      const settings = toSettings(known, before, change);
      const isElsewhere = change.url !== undefined && (before?.kind !== 'http' || before.url !== change.url);
      const timeoutSeconds =
        change.timeoutSeconds === undefined ? known.timeoutSeconds : checkTimeout(change.timeoutSeconds);
      // A new connection cuts off running calls, so the gate makes one only if the settings changed. Running calls keep
      // their old timeout.
      const isReachedOtherwise = settings !== undefined;
      const upstream: Upstream = {
        ...known,
        ...(settings ? sealSettings(gate, known, settings) : {}),
        riskTier: change.riskTier ?? known.riskTier,
        timeoutSeconds,
        version: known.version + (isReachedOtherwise ? 1 : 0),
        updatedAt: now,
      };
      if (!(await tx.updateUpstream(upstream, known.version)))
        throw new GateError(
          'conflict',
          'Somebody else changed this server at the same time; read it and try again.',
          {},
        );
      if (isElsewhere) await withdrawAll(at, upstream);
      await record('upstream.updated', {
        upstream_id: upstreamId,
        name: upstream.name,
        target: upstream.target,
        address_changed: isElsewhere,
        secrets_changed: change.headers === undefined ? [] : Object.keys(change.headers).toSorted(),
        risk_tier: upstream.riskTier,
        timeout_seconds: upstream.timeoutSeconds,
      });
      return { upstream, isReachedOtherwise };
    },
  );
  if (isReachedOtherwise) gate.upstreamClient.drop(upstreamId);
  return changed;
}

/** Returns undefined if the settings do not change. */
function toSettings(
  { kind }: Upstream,
  before: UpstreamSettings | undefined,
  { url, headers }: UpstreamChange,
): UpstreamSettings | undefined {
  if (url === undefined && headers === undefined) return undefined;
  if (kind !== 'http')
    throw invalidFields({
      path: url === undefined ? '/headers' : '/url',
      message:
        'This server is a command on the gate’s machine; its operator must remove it and add it again.',
    });
  const kept = before?.kind === 'http' ? before : undefined;
  const address = url ?? kept?.url;
  if (address === undefined)
    throw invalidFields({
      path: '/url',
      message: 'It can no longer be read, because the key that sealed it is gone; set it again.',
    });
  // Secrets of one server are never sent to another.
  const isSameOrigin = kept !== undefined && new URL(kept.url).origin === originOf(address);
  const merged = new Map(isSameOrigin ? Object.entries(kept.headers) : []);
  for (const [name, value] of Object.entries(headers ?? {})) {
    for (const known of merged.keys()) if (known.toLowerCase() === name.toLowerCase()) merged.delete(known);
    if (value !== null) merged.set(name, value);
  }
  return { kind: 'http', url: address, headers: Object.fromEntries(merged) };
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

async function withdrawAll(
  { tx, now }: ProjectChange<UpstreamReader & UpstreamWriter>,
  { id }: Upstream,
): Promise<void> {
  for (const tool of await tx.listUpstreamTools(id)) {
    if (tool.state === 'approved' || tool.state === 'gone')
      await tx.putUpstreamTool({ ...tool, state: 'changed', changedAt: now });
  }
}

/** Removes the server, its tools and their approvals. @throws GateError `not_found` */
export async function removeUpstream(
  gate: UpstreamDeps,
  caller: Caller,
  { projectId, upstreamId }: { projectId: string; upstreamId: string },
): Promise<void> {
  await changeProject(gate, caller, projectId, 'upstreams:write', async ({ tx, now, record }) => {
    const known = await tx.findUpstream(projectId, upstreamId);
    if (!known || !(await tx.deleteUpstream(upstreamId, now))) throw unknownUpstream();
    await record('upstream.removed', { upstream_id: upstreamId, name: known.name, target: known.target });
  });
  gate.upstreamClient.drop(upstreamId);
}
