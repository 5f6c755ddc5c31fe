import { GateError } from '../kernel/errors.ts';
import { parsePolicy } from '../policy/policy.ts';
import type { ProjectReader } from '../projects/project.ts';

/**
 * Refuses to take away a group that the policy in force asks for: who a policy names has to exist, after it was saved as
 * when it is. Whoever is to approve no more leaves the group instead, which nothing holds up.
 *
 * @throws GateError `conflict`, with where the policy names it
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
    `The policy in force asks for this group, at ${asking.map(({ path }) => path).join(', ')}. Put one in force that does not, or leave the group without members.`,
    {},
  );
}
