/**
 * Requires fresh presence for effects that would outlive a session. An unlocked machine or a stolen cookie must not be
 * enough.
 */
import { GateError } from '../kernel/errors.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { Caller, SessionCaller } from './caller.ts';
import { forbidden } from './forbidden.ts';
import type { Scope } from './scopes.ts';

/** A sign-in, or a later confirmation, counts as presence for this long. */
const PRESENCE_SECONDS = 15 * 60;

/**
 * Scopes whose effects a thief with a session cookie could leave behind: keys, people, listeners, rules and the things
 * that rules depend on. Also starting an agent or a project again, and everything that cannot be undone.
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
 * Call it before a change to how a person signs in.
 *
 * @throws GateError `proof_required`, `forbidden` for a caller without a session
 */
export function assertPresent(gate: { clock: { now(): Instant } }, caller: Caller): SessionCaller {
  if (caller.kind !== 'session') throw forbidden('session');
  if (isPresent(caller, gate.clock.now())) return caller;
  throw showYourself();
}

/**
 * Call it before another device may act for the person. A recent sign-in is not enough: a thief with a fresh cookie
 * could enrol a device. A person who signed in with a one-time link is exempt, because they have nothing to confirm
 * with yet.
 *
 * @throws GateError `proof_required`, `forbidden` for a caller without a session
 */
export function assertConfirmed(gate: { clock: { now(): Instant } }, caller: Caller): SessionCaller {
  const present = assertPresent(gate, caller);
  if (present.confirmedAt > present.signedInAt || present.methods.includes('link')) return present;
  throw showYourself();
}

/**
 * Call it before a change to a project, if the change would outlive the session. Programs cannot be present, and have
 * limits of their own.
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
    'Confirm that it is you: with your password or a passkey, or by signing in again.',
    { proof_tier: 'session', methods: ['password', 'passkey'] },
  );
}
