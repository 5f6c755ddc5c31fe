/** Owns which members of an agent one admin alone cannot set in a project with the two-person rule. */
import type { ProjectChange } from '../projects/change-project.ts';
import { type AgentProperty, OF_NO_RULE } from './agent-profile.ts';

/** Whether these members change only with another person's approval. The operator is exempt, as for the policy. */
export function takesSecondPerson(
  { project, caller }: ProjectChange,
  changed: readonly AgentProperty[],
): boolean {
  return (
    project.policySecondPerson &&
    caller.kind !== 'operator' &&
    changed.some((property) => !OF_NO_RULE.has(property))
  );
}
