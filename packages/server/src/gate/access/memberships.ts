import type { ProjectReader } from '../projects/project.ts';
import type { Membership } from './caller.ts';

/** The projects a person belongs to, and their role in each. */
export async function membershipsOf(reader: ProjectReader, userId: string): Promise<Membership[]> {
  const members = await reader.listMemberships(userId);
  const memberships = await Promise.all(
    members.map(async ({ projectId, role }) => {
      const project = await reader.findProject(projectId);
      return project
        ? [{ projectId, mode: project.mode, role, projectPerMinute: project.rateLimitPerMinute }]
        : [];
    }),
  );
  return memberships.flat();
}
