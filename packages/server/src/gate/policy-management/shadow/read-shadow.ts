import { assertScope } from '../../access/assert-scope.ts';
import type { Caller } from '../../access/caller.ts';
import { unknownShadow } from '../../kernel/not-found.ts';
import { onlyGiven } from '../../kernel/only-given.ts';
import { cutPage, numberCursor, type Page, type PageRequest, pageLimit } from '../../kernel/page.ts';
import { type DifferenceGroup, parseGroupKey } from '../comparison/difference-tally.ts';
import type { PolicyDeps } from '../policy-deps.ts';
import type { ShadowDivergence, ShadowPolicy } from './shadow-policy.ts';

/**
 * Returns the shadow policy. Its hash is its ETag.
 *
 * @throws GateError `project_not_found`, `forbidden`, `not_found` if the project has none
 */
export async function getShadow(
  gate: Pick<PolicyDeps, 'storage'>,
  caller: Caller,
  { projectId }: { projectId: string },
): Promise<ShadowPolicy> {
  assertScope(caller, 'policies:read', projectId);
  const shadow = await gate.storage.read.findShadow(projectId);
  if (!shadow) throw unknownShadow();
  return shadow;
}

export interface ShadowReport {
  shadow: ShadowPolicy;
  /**
   * Counts by rule and change, most frequent first. Differences beyond the stored groups count only in
   * `shadow.diverged`.
   */
  groups: readonly Omit<DifferenceGroup, 'samples'>[];
  /** How often the condition of each rule of the shadow policy failed. */
  failures: readonly { rule: string; count: number }[];
  /** The latest differences, as far as they are stored. */
  divergences: Page<ShadowDivergence>;
}

/**
 * Reports the requests that the shadow policy would have decided differently since it was set. Findings of the last
 * second may be missing.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`, `not_found` if the project has none
 */
export async function readShadowDivergences(
  gate: Pick<PolicyDeps, 'storage'>,
  caller: Caller,
  { projectId, ...page }: { projectId: string } & PageRequest,
): Promise<ShadowReport> {
  const limit = pageLimit(page);
  const before = numberCursor(page);
  const shadow = await getShadow(gate, caller, { projectId });
  const { read } = gate.storage;
  const counts = await read.listShadowCounts(projectId);
  const found = await read.listShadowDivergences(projectId, {
    ...onlyGiven({ before }),
    limit: limit + 1,
  });
  return {
    shadow,
    groups: counts.flatMap(({ kind, name, count }) =>
      kind === 'divergence' ? [{ ...parseGroupKey(name), count }] : [],
    ),
    failures: counts.flatMap(({ kind, name, count }) => (kind === 'failure' ? [{ rule: name, count }] : [])),
    divergences: cutPage(found, limit, ({ position }) => String(position)),
  };
}
