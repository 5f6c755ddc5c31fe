import { roleReaches } from '../access/scopes.ts';
import type { NotificationDeps } from './notification-deps.ts';

/** IDs of the members who manage the project: its admins and owners. */
export async function findManagers(
  gate: Pick<NotificationDeps, 'storage'>,
  projectId: string,
): Promise<string[]> {
  const members = await gate.storage.read.listMembers(projectId);
  return members.filter(({ role }) => roleReaches(role, 'admin')).map(({ userId }) => userId);
}
