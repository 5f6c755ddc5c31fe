/** Fresh presence: for what would outlive a session, an unlocked machine or a stolen cookie must not be enough. */
import { GateError } from '../kernel/errors.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { Caller, SessionCaller } from './caller.ts';
import { forbidden } from './forbidden.ts';
import type { Scope } from './scopes.ts';

/** A sign-in, or a confirmation since, counts as presence for so long. */
const PRESENCE_SECONDS = 15 * 60;

/**
 * What somebody with a stolen cookie could leave behind: keys, people, rules and what rules rest on, listeners, an
 * agent or a project that runs again; and what cannot be brought back.
 */
const TAKES_PRESENCE: ReadonlySet<Scope> = new Set([
  'project:start',
  'agents:write',
  'keys:write',
  'members:write',
  'policies:write',
  'texts:erase',
  'webhooks:write',
  'upstreams:write',
]);

export function takesPresence(scope: Scope): boolean {
  return TAKES_PRESENCE.has(scope);
}

/**
 * Before a change of how somebody signs in.
 *
 * @throws GateError `proof_required`, `forbidden` for what is no session
 */
export function assertPresent(gate: { clock: { now(): Instant } }, caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw forbidden('session');
  if (isPresent(caller, gate.clock.now())) return caller;
  throw showYourself();
}

/**
 * Before another device is given the person's voice: having signed in lately is not enough, for then a cookie that was
 * taken at once could enrol a device of its own. Whoever came by a one-time link just now has nothing to confirm with
 * yet.
 *
 * @throws GateError `proof_required`, `forbidden` for what is no session
 */
export function assertConfirmed(gate: { clock: { now(): Instant } }, caller: Caller): SessionCaller {
  const present = assertPresent(gate, caller);
  if (present.confirmedAt > present.signedInAt || present.methods.includes('link')) return present;
  throw showYourself();
}

/**
 * Before a change of a project that would outlive the session. Programs have no presence, and their own limits.
 *
 * @throws GateError `proof_required`
 */
export function assertPresentFor(gate: { clock: { now(): Instant } }, caller: Caller, scope: Scope): void {
  if (caller.kind !== 'session' || !takesPresence(scope)) return;
  if (!isPresent(caller, gate.clock.now())) throw showYourself();
}

function isPresent({ confirmedAt }: SessionCaller, now: Instant): boolean {
  return now <= addSeconds(confirmedAt, PRESENCE_SECONDS);
}

function showYourself(): GateError<'proof_required'> {
  return new GateError(
    'proof_required',
    'Show once more that it is you: with your password or a passkey, or by signing in again.',
    { proof_tier: 'session', methods: ['password', 'passkey'] },
  );
}
