import type { RiskTier } from '@permitry/protocol';
import { assertPresentFor } from '../access/assert-present.ts';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { unknownUpstream } from '../kernel/not-found.ts';
import { changeProject } from '../projects/change-project.ts';
import { findUsable } from './find-usable.ts';
import type { ToolDefinition, UpstreamTool } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';

export interface ToolApproval {
  name: string;
  /** Hash of the definition that was reviewed. */
  hash: string;
  /** Null: the server's default. Omitted: unchanged. */
  riskTier?: RiskTier | null;
}

interface Named {
  projectId: string;
  upstreamId: string;
}

/**
 * Approves tools exactly as they were reviewed, and offers them from then on. Approves all of them or none.
 *
 * @throws GateError `project_not_found`, `not_found`, `forbidden`, `proof_required`. `invalid_fields` for a tool that
 * is not there or cannot be offered, and for too many tools to check together. `conflict` for a tool that has changed
 * since.
 */
export async function approveTools(
  gate: UpstreamDeps,
  caller: Caller,
  { projectId, upstreamId, tools }: Named & { tools: readonly ToolApproval[] },
): Promise<readonly UpstreamTool[]> {
  assertScope(caller, 'upstreams:write', projectId);
  assertPresentFor(gate, caller, 'upstreams:write');
  const usable = await findUsable(gate, { projectId, upstreamId, tools });
  return changeProject(gate, caller, projectId, 'upstreams:write', async ({ tx, now, record }) => {
    const upstream = await tx.findUpstream(projectId, upstreamId);
    if (!upstream) throw unknownUpstream();
    const approved: UpstreamTool[] = [];
    for (const [index, { name, hash, riskTier }] of tools.entries()) {
      const known = await tx.findUpstreamTool(upstreamId, name);
      const { tool: before, definition } = checkApprovable(usable, known, hash, `/tools/${index}/name`);
      const tool: UpstreamTool = {
        ...before,
        state: 'approved',
        pinned: definition,
        riskTier: riskTier === undefined ? before.riskTier : riskTier,
        changedAt: now,
        approvedAt: now,
      };
      await tx.putUpstreamTool(tool);
      approved.push(tool);
    }
    await record('upstream.tools_approved', {
      upstream_id: upstreamId,
      name: upstream.name,
      tools: tools.map(({ name, hash }) => ({ name, hash })),
    });
    return approved;
  });
}

function checkApprovable(
  usable: ReadonlySet<string>,
  tool: UpstreamTool | undefined,
  hash: string,
  path: string,
): { tool: UpstreamTool; definition: ToolDefinition } {
  const refused = (message: string) => invalidFields({ path, message });
  if (!tool) throw refused('The server has no such tool.');
  if (tool.obstacle !== null) throw refused(tool.obstacle);
  if (tool.found === null) throw refused('The server does not list this tool at the moment.');
  if (tool.found.hash !== hash)
    throw new GateError(
      'conflict',
      `${tool.name} has changed since it was reviewed; review it again before you approve it.`,
      {},
    );
  if (!usable.has(hash)) throw refused('Its input schema cannot be used here to check arguments.');
  return { tool, definition: tool.found };
}

/**
 * Disables tools, and deletes their approvals and risk tiers.
 *
 * @throws GateError as `approveTools`
 */
export async function withdrawTools(
  gate: UpstreamDeps,
  caller: Caller,
  { projectId, upstreamId, tools }: Named & { tools: readonly string[] },
): Promise<void> {
  assertScope(caller, 'upstreams:write', projectId);
  await changeProject(gate, caller, projectId, 'upstreams:write', async ({ tx, now, record }) => {
    const upstream = await tx.findUpstream(projectId, upstreamId);
    if (!upstream) throw unknownUpstream();
    for (const [index, name] of tools.entries()) {
      const known = await tx.findUpstreamTool(upstreamId, name);
      if (!known) throw invalidFields({ path: `/tools/${index}`, message: 'The server has no such tool.' });
      if (known.pinned === null) continue;
      // The server no longer lists the tool, so its row is not needed either.
      if (known.found === null && known.obstacle === null) await tx.deleteUpstreamTool(upstreamId, name);
      else
        await tx.putUpstreamTool({
          ...known,
          state: 'new',
          pinned: null,
          riskTier: null,
          approvedAt: null,
          changedAt: now,
        });
    }
    await record('upstream.tools_withdrawn', {
      upstream_id: upstreamId,
      name: upstream.name,
      tools: [...tools],
    });
  });
}
