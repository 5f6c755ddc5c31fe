import { encodeBase64url, type JsonObject } from '@permitry/protocol';
import { GateError } from '../../gate/kernel/errors.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type Browser, type StartedSession, startSession } from '../sessions/start-session.ts';
import { readAssertion } from './credential-json.ts';
import { issueChallenge, takeChallenge } from './passkey-challenges.ts';
import { requestOptions } from './passkey-options.ts';
import { verifyAssertion } from './verify-assertion.ts';

/** Starts a sign-in for anyone. The options list no passkeys, because a stranger must not learn which ones exist. */
export async function startPasskeySignIn(
  gate: PeopleDeps<'issuer'>,
): Promise<{ ticket: string; options: JsonObject }> {
  const { ticket, challenge } = await issueChallenge(gate, { purpose: 'sign_in', userId: null });
  return { ticket, options: requestOptions(gate, challenge) };
}

/**
 * Signs in the person whose passkey signed. The device has already verified the person.
 * @throws GateError `unauthorized`, with the same message for an unknown passkey, a wrong signature and an old ticket
 */
export async function signInWithPasskey(
  gate: PeopleDeps<'issuer' | 'signInLimits'>,
  { ticket, response }: { ticket: string; response: JsonObject },
  browser: Browser,
): Promise<StartedSession> {
  const challenge = await takeChallenge(gate, { ticket, purpose: 'sign_in', userId: null });
  const assertion = readAssertion(response);
  const passkey = assertion && (await gate.storage.read.findPasskey(assertion.id));
  if (challenge === undefined || !passkey || !assertion) throw notSignedIn();
  // A discoverable credential names its owner (WebAuthn §7.2, step 6).
  if (assertion.response.userHandle !== handleOf(passkey.userId)) throw notSignedIn();
  const verdict = await verifyAssertion(gate, passkey, { assertion, challenge });
  if (verdict.kind === 'refused') throw notSignedIn(verdict.why);
  const started = await gate.storage.transaction(async (tx) => {
    if (!(await tx.usePasskey(passkey.id, { ...verdict.use, at: gate.clock.now() }))) throw notSignedIn();
    return startSession(gate, tx, { userId: passkey.userId, methods: ['passkey'] }, browser);
  });
  const user = await gate.storage.read.findUser(passkey.userId);
  if (user) await gate.signInLimits.welcome(user.email, browser.address);
  return started;
}

function handleOf(userId: string): string {
  return encodeBase64url(new TextEncoder().encode(userId));
}

function notSignedIn(why?: string): GateError<'unauthorized'> {
  return new GateError(
    'unauthorized',
    'This passkey cannot be used to sign in here.',
    {},
    why === undefined ? undefined : { cause: new Error(why) },
  );
}
