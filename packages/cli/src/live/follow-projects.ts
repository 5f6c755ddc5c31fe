import type { AuditRecord } from '@permitry/protocol';
import type { Profile } from '../profile/open-client.ts';
import { followEvents } from './follow-events.ts';

/**
 * Events of several projects, in the order in which they arrive. Rejects as soon as the caller may
 * not read one of the projects.
 */
export async function followProjects(
  profile: Profile,
  projectIds: readonly string[],
  options: { types?: readonly string[]; signal: AbortSignal; onOpen?: () => void },
  hear: (event: AuditRecord, projectId: string) => void | Promise<void>,
): Promise<void> {
  await Promise.all(
    projectIds.map(async (projectId) => {
      for await (const event of followEvents(profile, { projectId, ...options }))
        await hear(event, projectId);
    }),
  );
}
