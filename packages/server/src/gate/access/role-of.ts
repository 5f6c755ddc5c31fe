import type { Role } from '@permitry/protocol';
import { type Caller, isPerson } from './caller.ts';

/** The role in whose name the caller acts. The operator's is the highest. */
export function roleOf(caller: Caller, projectId: string): Role | undefined {
  if (caller.kind === 'operator') return 'owner';
  if (caller.kind === 'secret') return caller.owner.role;
  if (!isPerson(caller)) return undefined;
  return caller.memberships.find((membership) => membership.projectId === projectId)?.role;
}
