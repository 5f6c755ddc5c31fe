import { GateError } from '../kernel/errors.ts';
import { parsePolicy } from '../policy/policy.ts';
import type { ProjectReader } from '../projects/project.ts';

/**
 * Refuses to delete a group that the active policy names: names in a published policy must stay valid. To end a
 * person's approvals, remove the person from the group instead, which is always possible.
 *
 * @throws GateError `conflict`, with the places where the policy names the group
 */
export async function assertNotAskedFor(tx: ProjectReader, projectId: string, group: string): Promise<void> {
  const inForce = await tx.findPolicy(projectId);
  const parsed = inForce && parsePolicy(inForce.document);
  if (!parsed?.ok) return;
  const asking = parsed.policy.entries.filter(({ entry }) =>
    [...entry.from, ...(entry.orNamed ?? [])].includes(group),
  );
  if (asking.length === 0) return;
  throw new GateError(
    'conflict',
    `The active policy names this group, at ${asking.map(({ path }) => path).join(', ')}. Publish a policy that does not, or remove all members from the group instead.`,
    {},
  );
}
