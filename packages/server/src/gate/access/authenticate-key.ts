import { parseApiKey, sha256Hex } from '@permitry/protocol';
import { GateError } from '../kernel/errors.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { AccessDeps } from './access-deps.ts';
import { refreshSession } from './authenticate-session.ts';
import type { Caller, UserCaller } from './caller.ts';
import { type CredentialRecord, hasEnded } from './credential.ts';
import type { KeptCredentials } from './kept-credentials.ts';
import { membershipsOf } from './memberships.ts';
import { unauthorized } from './unauthorized.ts';

/** Who presented a key, and its rate limits. */
export interface AuthenticatedKey {
  caller: Caller;
  limits: {
    /** The limit of the key's project; null: the gate's. A person's limits come from their memberships. */
    projectPerMinute: number | null;
    /** The key's own limit, below the project's; null: none. */
    keyPerMinute: number | null;
  };
}

/**
 * Finds out who presented a key. Unknown, malformed, revoked and expired keys, and keys whose owner left the project,
 * all get the same message. Looks up keys by their SHA-256, so no comparison leaks anything through timing.
 *
 * @throws GateError `unauthorized`; `agent_revoked`, because revocation is final and the agent should know to stop
 */
export async function authenticateKey(
  gate: AccessDeps & { credentials: KeptCredentials },
  presented: string,
): Promise<AuthenticatedKey> {
  if (!parseApiKey(presented)) throw unauthorized();
  const record = await gate.credentials.find(sha256Hex(presented));
  if (!record) throw unauthorized();
  const { key, project } = record;
  return {
    caller: await toCaller(gate, gate.storage.read, record),
    limits: { projectPerMinute: project?.rateLimitPerMinute ?? null, keyPerMinute: key.rateLimitPerMinute },
  };
}

/**
 * The current state of the same caller. Looks up its key, role, agent and project again.
 *
 * @throws GateError as `authenticateKey` does
 */
export async function refreshCaller(
  gate: Pick<AccessDeps, 'clock' | 'storage'>,
  caller: Caller,
): Promise<Caller> {
  if (caller.kind === 'operator') return caller;
  if (caller.kind === 'session') return refreshSession(gate, caller);
  const key = await gate.storage.read.findKey(caller.credentialId);
  const record = key && (await gate.storage.read.findCredential(key.hash));
  if (!record) throw unauthorized();
  return toCaller(gate, gate.storage.read, record);
}

function toCaller(
  gate: Pick<AccessDeps, 'clock'>,
  reader: ProjectReader,
  record: CredentialRecord,
): Caller | Promise<Caller> {
  const { key, agent } = record;
  if (key.revokedAt !== null || hasEnded(key, gate.clock.now())) throw unauthorized();
  // Keys outlive a revoked agent, so that a program that still uses one learns what happened.
  if (agent?.status === 'revoked') {
    throw new GateError('agent_revoked', 'This agent was revoked permanently. Register a new one.', {});
  }
  return key.kind === 'user' ? toUserCaller(reader, record) : toProjectCaller(record);
}

function toProjectCaller({ key, project, agent, owner }: CredentialRecord): Caller {
  if (!project) throw unauthorized();
  const bound = {
    credentialId: key.id,
    projectId: project.id,
    mode: project.mode,
    revision: project.revision,
  };
  switch (key.kind) {
    case 'agent':
      if (!agent) throw unauthorized();
      return { kind: 'agent', ...bound, agent };
    case 'secret':
      // A secret key stops working when its owner's membership ends.
      if (!owner?.role) throw unauthorized();
      return {
        kind: 'secret',
        ...bound,
        keyName: key.name,
        owner: { id: owner.id, email: owner.email, role: owner.role },
      };
    case 'verify':
      return { kind: 'verify', ...bound, keyName: key.name };
    case 'user':
      throw new Error(`user token ${key.id} is bound to a project`);
  }
}

async function toUserCaller(reader: ProjectReader, { key, owner }: CredentialRecord): Promise<UserCaller> {
  if (!owner) throw unauthorized();
  return {
    kind: 'user',
    credentialId: key.id,
    user: { id: owner.id, email: owner.email },
    rights: key.rights,
    memberships: await membershipsOf(reader, owner.id),
  };
}
