import type { ProjectMode, Role } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { endOfKey } from '../access/credential.ts';
import { roleOf } from '../access/role-of.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ChangeDeps } from './change-deps.ts';
import { listProjects } from './read-project.ts';

/** Describes a credential to its holder. */
export interface CallerDescription {
  kind: Exclude<Caller['kind'], 'operator'>;
  credentialId: string;
  /** Name of the key or token. */
  name: string | null;
  /** The person who calls, or who answers for the service. */
  user: { id: string; email: string } | null;
  agent: { id: string; name: string } | null;
  /** What a user token may do beyond reading. */
  rights: readonly ('decide' | 'manage')[];
  expiresAt: Instant | null;
  /** `role`: the role in the project that the credential acts with. Null for agents and executors. */
  projects: readonly { id: string; name: string; mode: ProjectMode; role: Role | null }[];
}

export async function describeCaller(
  gate: Pick<ChangeDeps, 'storage'>,
  caller: Caller & { kind: CallerDescription['kind'] },
): Promise<CallerDescription> {
  const key = await gate.storage.read.findKey(caller.credentialId);
  const projects = await listProjects(gate, caller);
  return {
    kind: caller.kind,
    credentialId: caller.credentialId,
    name: key?.name ?? null,
    user: personBehind(caller),
    agent: caller.kind === 'agent' ? { id: caller.agent.id, name: caller.agent.name } : null,
    rights: caller.kind === 'user' ? caller.rights : [],
    expiresAt: key ? endOfKey(key) : null,
    projects: projects.map(({ id, name, mode }) => ({ id, name, mode, role: roleOf(caller, id) ?? null })),
  };
}

function personBehind(caller: Caller): CallerDescription['user'] {
  if (caller.kind === 'user' || caller.kind === 'session') return caller.user;
  return caller.kind === 'secret' ? { id: caller.owner.id, email: caller.owner.email } : null;
}
