/** The scopes of each kind of credential, checked before any resource is read. Denied by default. */
import type { ProjectMode, Role } from '@permitry/protocol';
import { ROLES } from '@permitry/protocol';
import { type Caller, isPerson, type Membership } from './caller.ts';

const SCOPES = [
  'intents:create',
  'intents:read',
  'intents:decide',
  'intents:prove',
  'intents:redeem',
  'permits:verify',
  'permits:consume',
  'permits:revoke',
  'outcomes:report',
  'audit:read',
  'project:read',
  'project:write',
  'project:stop',
  'project:start',
  'agents:read',
  'agents:write',
  'agents:stop',
  'keys:read',
  'keys:write',
  'members:read',
  'members:write',
  'policies:read',
  'policies:write',
  'policies:simulate',
  'texts:erase',
  'webhooks:read',
  'webhooks:write',
  'webhooks:replay',
  'upstreams:read',
  'upstreams:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The minimum role of a person, or of a person's program. */
const ROLE_FOR: Record<Scope, Role> = {
  'intents:create': 'approver',
  'intents:read': 'viewer',
  'intents:decide': 'approver',
  'intents:prove': 'approver',
  'intents:redeem': 'approver',
  'permits:verify': 'approver',
  'permits:consume': 'approver',
  'permits:revoke': 'admin',
  'outcomes:report': 'approver',
  'audit:read': 'viewer',
  'project:read': 'viewer',
  'project:write': 'admin',
  'project:stop': 'admin',
  'project:start': 'admin',
  'agents:read': 'viewer',
  'agents:write': 'admin',
  'agents:stop': 'admin',
  'keys:read': 'admin',
  'keys:write': 'admin',
  'members:read': 'viewer',
  'members:write': 'admin',
  'policies:read': 'viewer',
  'policies:write': 'admin',
  'policies:simulate': 'admin',
  'texts:erase': 'owner',
  'webhooks:read': 'admin',
  'webhooks:write': 'admin',
  'webhooks:replay': 'admin',
  'upstreams:read': 'viewer',
  'upstreams:write': 'admin',
};

const AGENT_SCOPES: ReadonlySet<Scope> = new Set([
  'intents:create',
  'intents:read',
  'intents:redeem',
  'permits:verify',
  'permits:consume',
  'outcomes:report',
  'project:read',
]);

const VERIFIER_SCOPES: ReadonlySet<Scope> = new Set([
  'permits:verify',
  'permits:consume',
  'outcomes:report',
  'project:read',
]);

/**
 * Everything that a secret key may do in live mode, besides reading, within its owner's role (contract §3). A scope
 * that is not listed requires a person at a browser, or the operator: stopping is easy, starting is not.
 */
const LIVE_SERVICE_SCOPES: ReadonlySet<Scope> = new Set([
  'intents:create',
  'intents:decide',
  'intents:redeem',
  'permits:verify',
  'permits:consume',
  'permits:revoke',
  'outcomes:report',
  'project:stop',
  'agents:stop',
  'policies:simulate',
  'webhooks:replay',
]);

/** The same for a user token, within the rights that the token was created with. */
const LIVE_TOKEN_SCOPES: ReadonlySet<Scope> = new Set([
  'intents:decide',
  'intents:prove',
  'permits:revoke',
  'project:stop',
  'agents:stop',
  'policies:simulate',
]);

/** These scopes make a caller a requester or an executor. A person is neither. */
const NOT_FOR_PEOPLE: ReadonlySet<Scope> = new Set([
  'intents:create',
  'intents:redeem',
  'permits:verify',
  'permits:consume',
  'outcomes:report',
]);

/** An unknown role meets no minimum, and no role meets an unknown minimum. So a scope without a role is denied. */
export function roleReaches(role: Role, least: Role): boolean {
  const needed = ROLES.indexOf(least);
  return needed >= 0 && ROLES.indexOf(role) >= needed;
}

function rightFor(scope: Scope): 'read' | 'decide' | 'manage' {
  if (scope === 'intents:decide' || scope === 'intents:prove') return 'decide';
  // A simulation changes nothing.
  return scope.endsWith(':read') || scope === 'policies:simulate' ? 'read' : 'manage';
}

/** Whether a person with this role, when present, may use the scope. */
export function presentPersonMay(role: Role, scope: Scope): boolean {
  return !NOT_FOR_PEOPLE.has(scope) && roleReaches(role, ROLE_FOR[scope]);
}

function programMay(mode: ProjectMode, scope: Scope, inLive: ReadonlySet<Scope>): boolean {
  return mode === 'test' || scope.endsWith(':read') || inLive.has(scope);
}

function tokenMay(
  rights: readonly string[],
  { mode, role }: Pick<Membership, 'mode' | 'role'>,
  scope: Scope,
): boolean {
  if (!presentPersonMay(role, scope) || !programMay(mode, scope, LIVE_TOKEN_SCOPES)) return false;
  const right = rightFor(scope);
  return right === 'read' || rights.includes(right);
}

function serviceMay(mode: ProjectMode, role: Role, scope: Scope): boolean {
  // A service has no person who could prove their presence.
  if (scope === 'intents:prove') return false;
  return programMay(mode, scope, LIVE_SERVICE_SCOPES) && roleReaches(role, ROLE_FOR[scope]);
}

/**
 * Whether the caller holds the scope in this project. Without a project: in any.
 *
 * @example holdsScope(caller, 'intents:decide', intent.projectId)
 */
export function holdsScope(caller: Caller, scope: Scope, projectId?: string): boolean {
  switch (caller.kind) {
    case 'operator':
      return true;
    case 'agent':
      return AGENT_SCOPES.has(scope);
    case 'verify':
      return VERIFIER_SCOPES.has(scope);
    case 'secret':
      return serviceMay(caller.mode, caller.owner.role, scope);
    case 'user':
      return caller.memberships.some(
        (membership) =>
          (projectId === undefined || membership.projectId === projectId) &&
          tokenMay(caller.rights, membership, scope),
      );
    case 'session':
      return caller.memberships.some(
        (membership) =>
          (projectId === undefined || membership.projectId === projectId) &&
          presentPersonMay(membership.role, scope),
      );
  }
}

/**
 * What a program's credential lacks for a scope that the role of the person behind it allows. Either the person at a
 * browser (`person`), or a right that a token can be created with. Null: the role is too low, or no credential of this
 * kind holds the scope.
 */
export function findWhatIsLacking(caller: Caller, scope: Scope): 'person' | 'decide' | 'manage' | null {
  if (caller.kind === 'secret') return serviceMay('test', caller.owner.role, scope) ? 'person' : null;
  if (caller.kind !== 'user') return null;
  const able = caller.memberships.filter(({ role }) => presentPersonMay(role, scope));
  if (able.length === 0) return null;
  if (!able.some(({ mode }) => programMay(mode, scope, LIVE_TOKEN_SCOPES))) return 'person';
  const right = rightFor(scope);
  return right === 'read' || caller.rights.includes(right) ? 'person' : right;
}

/** Whether the caller may see anything of this project at all. If not, answers treat the project as nonexistent. */
export function seesProject(caller: Caller, projectId: string): boolean {
  if (caller.kind === 'operator') return true;
  if (isPerson(caller)) return caller.memberships.some((m) => m.projectId === projectId);
  return caller.projectId === projectId;
}
