import type { Instant } from '../kernel/instant.ts';
import type { ChangeDeps } from './change-deps.ts';
import type { ProjectReader, ProjectWriter, User } from './project.ts';

/** The user with this normalised address. Creates the user if there is none. */
export async function ensureUser(
  gate: Pick<ChangeDeps, 'ids'>,
  tx: ProjectReader & ProjectWriter,
  email: string,
  now: Instant,
): Promise<User> {
  const known = await tx.findUserByEmail(email);
  if (known) return known;
  const user: User = { id: gate.ids.next('usr'), email, name: null, createdAt: now };
  await tx.insertUser(user);
  return user;
}
