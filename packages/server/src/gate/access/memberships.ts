import type { ProjectReader } from '../projects/project.ts';
import type { Membership } from './caller.ts';

/** Where a person belongs, and as what. */
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
