/** Owns which members of an agent one admin alone does not set in a project with the two-person rule. */
import type { ProjectChange } from '../projects/change-project.ts';
import type { AgentMember } from './write-agent.ts';

/** No rule can ask for it. */
const HARMLESS: ReadonlySet<AgentMember> = new Set(['framework']);

/** Whether these members change only with another person's approval. The operator is the way out, as for the policy. */
export function takesSecondPerson(
  { project, caller }: ProjectChange,
  changed: readonly AgentMember[],
): boolean {
  return (
    project.policySecondPerson &&
    caller.kind !== 'operator' &&
    changed.some((member) => !HARMLESS.has(member))
  );
}
