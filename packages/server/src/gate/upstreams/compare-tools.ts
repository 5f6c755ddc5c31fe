/** Works out how a check of a server's tools changes the stored tools. Pure. */
import type { Instant } from '../kernel/instant.ts';
import type { FoundTool } from './read-definition.ts';
import type { UpstreamTool } from './upstream.ts';

export interface ToolChanges {
  put: readonly UpstreamTool[];
  /** Names of tools that were never approved and that the server no longer lists. */
  forgotten: readonly string[];
  /** Names of the tools in `put` that are new. */
  found: readonly string[];
  /** Names of offered or missing tools that have changed. */
  changed: readonly string[];
  /** Names of offered tools that are missing. */
  gone: readonly string[];
  /** Names of missing tools that are listed again exactly as they were approved. */
  returned: readonly string[];
}

/**
 * A check offers a tool again only if it was offered before and went missing. A tool that was once `changed` stays so
 * until a person reviews it, even if it returns to the approved definition. A server that changes its mind deserves a
 * review.
 */
export function compareTools(
  owner: Pick<UpstreamTool, 'projectId' | 'upstreamId'>,
  known: readonly UpstreamTool[],
  seen: readonly FoundTool[],
  now: Instant,
): ToolChanges {
  const put: UpstreamTool[] = [];
  const names = {
    found: [] as string[],
    changed: [] as string[],
    gone: [] as string[],
    returned: [] as string[],
  };
  const left = new Map(known.map((tool) => [tool.name, tool]));
  for (const { name, definition, obstacle } of seen) {
    const tool = left.get(name);
    left.delete(name);
    if (!tool) {
      names.found.push(name);
      put.push({
        ...owner,
        name,
        state: 'new',
        obstacle,
        found: definition,
        pinned: null,
        riskTier: null,
        foundAt: now,
        changedAt: now,
        approvedAt: null,
      });
      continue;
    }
    const isPinned = obstacle === null && definition !== null && definition.hash === tool.pinned?.hash;
    if (isPinned && tool.state === 'approved') continue;
    if (isPinned && tool.state === 'gone') {
      names.returned.push(name);
      put.push({ ...tool, state: 'approved', obstacle, found: definition, changedAt: now });
      continue;
    }
    const state = tool.pinned === null ? 'new' : 'changed';
    if (tool.state === 'approved' || tool.state === 'gone') names.changed.push(name);
    const isAsKnown =
      state === tool.state && obstacle === tool.obstacle && definition?.hash === tool.found?.hash;
    if (!isAsKnown) put.push({ ...tool, state, obstacle, found: definition, changedAt: now });
  }
  const forgotten: string[] = [];
  for (const tool of left.values()) {
    if (tool.pinned === null) forgotten.push(tool.name);
    else if (tool.state === 'approved') {
      names.gone.push(tool.name);
      put.push({ ...tool, state: 'gone', found: null, changedAt: now });
    } else if (tool.found !== null || tool.obstacle !== null) {
      put.push({ ...tool, found: null, obstacle: null, changedAt: now });
    }
  }
  return { put, forgotten, ...names };
}

export function isNothing({ put, forgotten }: ToolChanges): boolean {
  return put.length === 0 && forgotten.length === 0;
}
