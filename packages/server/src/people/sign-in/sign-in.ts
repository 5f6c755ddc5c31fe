/**
 * Signs in with an email address and a password. Every fault gives the same message after the same work: one argon2
 * run, whether or not the address has an account.
 */

import { GateError } from '../../gate/kernel/errors.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import { normalisePassword } from '../passwords/check-password.ts';
import type { PasswordReader } from '../passwords/password.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type Browser, type StartedSession, startSession } from '../sessions/start-session.ts';
import type { SignInTry } from '../sign-in-tries/sign-in-limits.ts';
import { insertTicket, type SecondFactorAsked } from './sign-in-ticket.ts';

export type SignIn =
  | { status: 'signed_in'; started: StartedSession }
  | ({ status: 'second_factor' } & SecondFactorAsked);

const MOST_ACCOUNT_CHARACTERS = 254;

/** @throws GateError `unauthorized`, `rate_limited`, `service_unavailable` while too many people sign in at once */
export async function signInWithPassword(
  gate: PeopleDeps<'passwords' | 'signInLimits'>,
  input: { email: string; password: string },
  browser: Browser,
): Promise<SignIn> {
  const account = accountOf(input.email);
  const attempt = await gate.signInLimits.begin(account, browser.address);
  const { user, hash } = await findAccount(gate, account, input.password, attempt);
  const totp = await gate.storage.read.findTotp(user.id);
  if (totp?.confirmedAt != null) {
    // Neither a success nor a failure: a person with only the password is not signed in.
    await attempt.withdrawn();
    return askForSecondFactor(gate, user.id, hash);
  }
  const started = await gate.storage.transaction(async (tx) => {
    await assertStillPassword(tx, user.id, hash);
    // The app was set up after the read above. Refuse this sign-in; the next one asks for a code.
    if ((await tx.findTotp(user.id))?.confirmedAt != null) throw wrong();
    return startSession(gate, tx, { userId: user.id, methods: ['password'] }, browser);
  });
  await attempt.succeeded();
  return { status: 'signed_in', started };
}

/**
 * The normalised address. Text that is not an address becomes an account that nobody has. It never becomes the name of
 * another count (`code usr_…`, `reset ann@example.org`).
 */
export function accountOf(email: string): string {
  return toEmailAddress(email) ?? `no address: ${email.slice(0, MOST_ACCOUNT_CHARACTERS)}`;
}

async function findAccount(
  gate: Pick<PeopleDeps<'passwords'>, 'passwords' | 'storage'>,
  account: string,
  typed: string,
  attempt: SignInTry,
): Promise<{ user: { id: string }; hash: string }> {
  try {
    const user = await gate.storage.read.findUserByEmail(account);
    const stored = user && (await gate.storage.read.findPassword(user.id));
    const password = normalisePassword(typed);
    const fits = await gate.passwords.verify(stored?.hash ?? null, password);
    if (!user || !stored || !fits) throw wrong();
    return { user, hash: await underPresentParameters(gate, user.id, stored.hash, password) };
  } catch (error) {
    if (!(error instanceof GateError && error.code === 'unauthorized')) await attempt.withdrawn();
    throw error;
  }
}

/**
 * Hashes the password again when the parameters have grown. Only a sign-in can do this, because only it has the
 * password.
 */
async function underPresentParameters(
  gate: Pick<PeopleDeps<'passwords'>, 'passwords' | 'storage'>,
  userId: string,
  hash: string,
  password: string,
): Promise<string> {
  if (!gate.passwords.isOutdated(hash)) return hash;
  const renewed = await gate.passwords.hash(password);
  const done = await gate.storage.transaction((tx) => tx.rehashPassword(userId, hash, renewed));
  return done ? renewed : hash;
}

async function askForSecondFactor(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  userId: string,
  hash: string,
): Promise<SignIn> {
  const asked = await gate.storage.transaction(async (tx) => {
    await assertStillPassword(tx, userId, hash);
    return insertTicket(gate, tx, { userId, first: 'password' });
  });
  return { status: 'second_factor', ...asked };
}

/** Refuses when the password changed during the check: the password that was checked is then the old one. */
async function assertStillPassword(reader: PasswordReader, userId: string, hash: string): Promise<void> {
  const stored = await reader.findPassword(userId);
  if (stored?.hash !== hash) throw wrong();
}

function wrong(): GateError<'unauthorized'> {
  return new GateError('unauthorized', 'The email address or the password is wrong.', {});
}
