import type { RiskTier } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { forbidden } from '../access/forbidden.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { changeProject } from '../projects/change-project.ts';
import type { Upstream, UpstreamSettings } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';
import { checkName, checkTimeout, sealSettings, USUAL_TIMEOUT_SECONDS } from './upstream-settings.ts';

/** Maximum of MCP servers per project. Each server means one connection from every gate. */
const MOST_UPSTREAMS = 20;

export interface NewUpstream {
  projectId: string;
  name: string;
  settings: UpstreamSettings;
  riskTier?: RiskTier;
  timeoutSeconds?: number;
}

/**
 * Registers an MCP server. None of its tools is offered before a person has reviewed and approved it. A command runs on
 * the gate's machine as the gate's user, so only the operator may register one.
 *
 * @throws GateError `project_not_found`, `forbidden`, `proof_required`, `invalid_fields`, `conflict` for a name that is
 * taken, and when there are too many
 */
export async function addUpstream(
  gate: UpstreamDeps,
  caller: Caller,
  { projectId, name, settings, riskTier = 'medium', timeoutSeconds = USUAL_TIMEOUT_SECONDS }: NewUpstream,
  remember?: Remember<Upstream>,
): Promise<Upstream> {
  assertScope(caller, 'upstreams:write', projectId);
  if (settings.kind === 'stdio' && caller.kind !== 'operator') throw forbidden('operator');
  return changeProject(
    gate,
    caller,
    projectId,
    'upstreams:write',
    async ({ tx, now, record }) => {
      const id = gate.ids.next('ups');
      const upstream: Upstream = {
        id,
        projectId,
        name: checkName(name),
        kind: settings.kind,
        ...sealSettings(gate, { id, projectId }, settings),
        riskTier,
        timeoutSeconds: checkTimeout(timeoutSeconds),
        version: 1,
        createdAt: now,
        updatedAt: now,
        server: null,
        polledAt: null,
        failingSince: null,
        error: null,
      };
      if (await tx.findUpstreamByName(projectId, name))
        throw new GateError('conflict', 'An MCP server of this project already has that name.', {});
      if ((await tx.listUpstreams(projectId)).length >= MOST_UPSTREAMS)
        throw new GateError('conflict', `A project has at most ${MOST_UPSTREAMS} MCP servers.`, {});
      await tx.insertUpstream(upstream);
      await record('upstream.added', {
        upstream_id: id,
        name,
        kind: upstream.kind,
        target: upstream.target,
        secret_names: [...upstream.secretNames],
        risk_tier: riskTier,
      });
      return upstream;
    },
    remember,
  );
}
