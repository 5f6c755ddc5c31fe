import type { AuditActor, ProjectMode, Role } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { CredentialRecord } from './credential.ts';
import type { SignInMethod } from './session.ts';

/** What every caller in one project shares. */
interface ProjectBound {
  /** `key_…`: the scope of idempotency keys, and the credential that consumed a permit. */
  credentialId: string;
  projectId: string;
  mode: ProjectMode;
  /** The project's revision when the credential was looked up. */
  revision: number;
}

/** An agent's own key, which belongs to exactly one registered agent. */
export interface AgentCaller extends ProjectBound {
  kind: 'agent';
  agent: NonNullable<CredentialRecord['agent']>;
}

/** A service. It may do what its owner's role allows now. */
export interface SecretCaller extends ProjectBound {
  kind: 'secret';
  keyName: string;
  owner: { id: string; email: string; role: Role };
}

/** An executor. */
export interface VerifierCaller extends ProjectBound {
  kind: 'verify';
  keyName: string;
}

/** What a person is in one project. */
export interface Membership {
  projectId: string;
  mode: ProjectMode;
  role: Role;
  /** The project's own limit per minute. Null, or omitted where nothing counts requests: the gate's. */
  projectPerMinute?: number | null;
}

/** A person, through a program, in every project they are a member of. */
export interface UserCaller {
  kind: 'user';
  credentialId: string;
  user: { id: string; email: string };
  rights: readonly ('decide' | 'manage')[];
  memberships: readonly Membership[];
}

/** A person at a browser, in every project they are a member of. */
export interface SessionCaller {
  kind: 'session';
  /** `ses_…`. */
  credentialId: string;
  user: { id: string; email: string };
  memberships: readonly Membership[];
  /** The methods by which they signed in, in order. A second factor comes second. */
  methods: readonly SignInMethod[];
  signedInAt: Instant;
  /** When they last proved their presence: at sign-in, or at a later confirmation. */
  confirmedAt: Instant;
}

/** A person at the machine itself, through the command line. */
export interface OperatorCaller {
  kind: 'operator';
  credentialId: 'operator';
  display: string;
}

export type Caller =
  | AgentCaller
  | SecretCaller
  | VerifierCaller
  | UserCaller
  | SessionCaller
  | OperatorCaller;

/** A caller who may read requests as approvers do: a person, present or through a program, or a person's service. */
export type Reviewer = SessionCaller | UserCaller | SecretCaller;

/** Excludes agents, executors and the operator, who represents no person. */
export function isReviewer(caller: Caller): caller is Reviewer {
  return isPerson(caller) || caller.kind === 'secret';
}

/** Whether a person calls, at a browser or through a program. Such a caller may belong to several projects. */
export function isPerson(caller: Caller): caller is UserCaller | SessionCaller {
  return caller.kind === 'user' || caller.kind === 'session';
}

/**
 * Who caused an event. `operator`: a person at the machine itself (the command line). `system`: the gate, by the clock.
 */
export interface Actor extends AuditActor {
  display: string;
}

/** The caller as the audit log records it. */
export function toActor(caller: Caller): Actor {
  switch (caller.kind) {
    case 'agent':
      return { type: 'agent', id: caller.agent.id, display: caller.agent.name };
    case 'secret':
      return {
        type: 'key',
        id: caller.credentialId,
        display: `${caller.owner.email} through ${caller.keyName}`,
      };
    case 'verify':
      return { type: 'key', id: caller.credentialId, display: caller.keyName };
    case 'user':
    case 'session':
      return { type: 'user', id: caller.user.id, display: caller.user.email };
    case 'operator':
      return { type: 'operator', id: 'operator', display: caller.display };
  }
}
