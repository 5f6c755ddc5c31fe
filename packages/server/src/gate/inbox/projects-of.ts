import type { Reviewer } from '../access/caller.ts';
import { unknownProject } from '../kernel/not-found.ts';

/**
 * The projects to search: the requested one, or all that the person belongs to.
 *
 * @throws GateError `project_not_found` for a project that the person does not belong to
 */
export function projectsOf(caller: Reviewer, asked: string | undefined): string[] {
  const own =
    caller.kind === 'secret' ? [caller.projectId] : caller.memberships.map(({ projectId }) => projectId);
  if (asked === undefined) return own;
  if (!own.includes(asked)) throw unknownProject();
  return [asked];
}
