import type { ProjectMode, Role } from '@permitry/protocol';
import type { Reader } from '../ports.ts';

/** Where a person belongs, and as what. */
export async function membershipsOf(
  reader: Reader,
  userId: string,
): Promise<{ projectId: string; mode: ProjectMode; role: Role }[]> {
  const members = await reader.listMemberships(userId);
  const memberships = await Promise.all(
    members.map(async ({ projectId, role }) => {
      const project = await reader.findProject(projectId);
      return project ? [{ projectId, mode: project.mode, role }] : [];
    }),
  );
  return memberships.flat();
}
