/** Owns which members of an agent one admin alone does not set in a project with the two-person rule. */
import type { ProjectChange } from '../projects/change-project.ts';
import type { AgentProperty } from './agent-profile.ts';

/** No rule can ask for it. */
const HARMLESS: ReadonlySet<AgentProperty> = new Set(['framework']);

/** Whether these members change only with another person's approval. The operator is the way out, as for the policy. */
export function takesSecondPerson(
  { project, caller }: ProjectChange,
  changed: readonly AgentProperty[],
): boolean {
  return (
    project.policySecondPerson &&
    caller.kind !== 'operator' &&
    changed.some((property) => !HARMLESS.has(property))
  );
}
