import type { Reviewer } from '../access/caller.ts';
import { unknownProject } from '../kernel/not-found.ts';

/**
 * The projects to look in: the one asked for, or all the person belongs to.
 *
 * @throws GateError `project_not_found` for one that is not theirs
 */
export function projectsOf(caller: Reviewer, asked: string | undefined): string[] {
  const own =
    caller.kind === 'secret' ? [caller.projectId] : caller.memberships.map(({ projectId }) => projectId);
  if (asked === undefined) return own;
  if (!own.includes(asked)) throw unknownProject();
  return [asked];
}
