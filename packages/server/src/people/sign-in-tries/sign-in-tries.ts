/**
 * Slows down the guessing of passwords and codes (threat 16). Counts failures per address, per account, and mainly per
 * account and address together. So a stranger who fails on purpose locks out only himself, not the person. The counts
 * are in the database that all gates share. Accounts and addresses are stored as digests.
 */

import { sha256Hex } from '@permitry/protocol';
import { addSeconds, type Instant, millisecondsBetween } from '../../gate/kernel/instant.ts';
import { networkOf } from './network-of.ts';
import type { SignInCount, SignInCountReader, SignInCountWriter } from './sign-in-count.ts';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const KNOWN_SECONDS = 180 * 24 * HOUR_SECONDS;

/** Failures of one address on one account before the address has to wait. Each further failure doubles the wait. */
const FREE_TRIES = 5;
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 15 * MINUTE_SECONDS;
/**
 * Failures of all addresses on one account in a minute. Beyond this limit, only addresses known to the account may try.
 */
const PER_ACCOUNT = 20;
/** Failures of one address in a minute, whatever the account. */
const PER_ADDRESS = 30;

/** The prefix of the names of counts per account and address. Strangers can cause any number of these counts. */
export const PAIRS = 'pair ';

/** The account and address whose tries are counted. */
export interface Tried {
  /** Normalised, whether or not it exists: unknown accounts are slowed down alike. */
  account: string;
  /** Null: only the account counts, wherever the try comes from. */
  address: string | null;
}

/** `tell`: notify the account, because the last notice is more than an hour old. */
export type CountedTry =
  | { kind: 'refused'; waitMs: number; tell: boolean }
  | { kind: 'counted'; tell: boolean; minute: string; known: boolean; before: SignInCount | undefined };

/** Counts a try as failed. The caller subtracts it if the try turns out otherwise. */
export async function countTry(
  tx: SignInCountReader & SignInCountWriter,
  tried: Tried,
  now: Instant,
): Promise<CountedTry> {
  const names = namesOf(tried, now);
  const kept = await tx.findSignInCount(names.pair);
  const streak = kept && kept.keptUntil > now ? kept : undefined;
  if (streak && streak.until > now) return refused(millisecondsBetween(now, streak.until));
  const isKnown = ((await tx.findSignInCount(names.known))?.keptUntil ?? '') > now;
  const endOfMinute = addSeconds(names.minute, MINUTE_SECONDS);
  const restOfMinute = millisecondsBetween(now, endOfMinute);
  const ofAddress = await tx.findSignInCount(names.address);
  if (tried.address !== null && (ofAddress?.count ?? 0) >= PER_ADDRESS) return refused(restOfMinute);
  const ofAccount = await tx.findSignInCount(names.account);
  if (!isKnown && (ofAccount?.count ?? 0) >= PER_ACCOUNT) {
    return { ...refused(restOfMinute), tell: await tellOnce(tx, names.told, now) };
  }
  const inMinute = { until: endOfMinute, keptUntil: endOfMinute };
  if (tried.address !== null) {
    await tx.saveSignInCount(names.address, { count: (ofAddress?.count ?? 0) + 1, ...inMinute });
  }
  // Only strangers add to the account's count, so that they do not use up the tries of known addresses.
  if (!isKnown) await tx.saveSignInCount(names.account, { count: (ofAccount?.count ?? 0) + 1, ...inMinute });
  const count = (streak?.count ?? 0) + 1;
  const until = addSeconds(now, waitAfter(count));
  await tx.saveSignInCount(names.pair, { count, until, keptUntil: addSeconds(until, HOUR_SECONDS) });
  // Tries without an address are guesses of codes, and only a person who has the password gets that far: notify the
  // account.
  const tell = tried.address === null && count === FREE_TRIES && (await tellOnce(tx, names.told, now));
  return { kind: 'counted', tell, minute: names.minute, known: isKnown, before: streak };
}

type Counted = Extract<CountedTry, { kind: 'counted' }>;

/** The try did not test the password, e.g. because the storage was unavailable. */
export async function takeBackTry(
  tx: SignInCountReader & SignInCountWriter,
  tried: Tried,
  counted: Counted,
  now: Instant,
): Promise<void> {
  await takeBackMinute(tx, tried, counted, now);
  const { pair } = namesOf(tried, now);
  const streak = await tx.findSignInCount(pair);
  if (!streak) return;
  // Restores the earlier state. If other tries have failed since, this subtracts only one failure.
  const { before } = counted;
  const count = streak.count - 1;
  if (count > (before?.count ?? 0)) await tx.saveSignInCount(pair, { ...streak, count });
  else if (before) await tx.saveSignInCount(pair, before);
  else await tx.dropSignInCount(pair);
}

/** The try succeeded: it does not count as a failure, and the address becomes known. */
export async function takeForGood(
  tx: SignInCountReader & SignInCountWriter,
  tried: Tried,
  counted: Counted,
  now: Instant,
): Promise<void> {
  await takeBackMinute(tx, tried, counted, now);
  await welcome(tx, tried, now);
}

/** The person signed in from this address: forgets earlier failures and marks the address as known. */
export async function welcome(tx: SignInCountWriter, tried: Tried, now: Instant): Promise<void> {
  const { pair, known } = namesOf(tried, now);
  await tx.dropSignInCount(pair);
  // A try without an address has no address to mark as known: codes count together wherever they come from.
  if (tried.address === null) return;
  await tx.saveSignInCount(known, { count: 1, until: now, keptUntil: addSeconds(now, KNOWN_SECONDS) });
}

/** Deletes the list of addresses that the person signed in from. All other counts expire within hours. */
export async function forgetKnownAddresses(tx: SignInCountWriter, account: string): Promise<void> {
  await tx.dropSignInCounts(`known ${sha256Hex(account)} `);
}

async function takeBackMinute(
  tx: SignInCountReader & SignInCountWriter,
  tried: Tried,
  { minute, known }: Counted,
  now: Instant,
): Promise<void> {
  const names = namesOf(tried, now);
  if (names.minute !== minute) return;
  if (tried.address !== null) await countDown(tx, names.address);
  if (!known) await countDown(tx, names.account);
}

async function countDown(tx: SignInCountReader & SignInCountWriter, name: string): Promise<void> {
  const known = await tx.findSignInCount(name);
  if (known && known.count > 0) await tx.saveSignInCount(name, { ...known, count: known.count - 1 });
}

/** Whether an hour has passed since the last notice. */
async function tellOnce(
  tx: SignInCountReader & SignInCountWriter,
  name: string,
  now: Instant,
): Promise<boolean> {
  const last = await tx.findSignInCount(name);
  if (last && last.keptUntil > now) return false;
  await tx.saveSignInCount(name, { count: 1, until: now, keptUntil: addSeconds(now, HOUR_SECONDS) });
  return true;
}

function refused(waitMs: number): CountedTry & { kind: 'refused' } {
  return { kind: 'refused', waitMs, tell: false };
}

function waitAfter(failures: number): number {
  if (failures < FREE_TRIES) return 0;
  return Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (failures - FREE_TRIES));
}

function namesOf({ account, address }: Tried, now: Instant) {
  const minute = `${now.slice(0, 'yyyy-mm-ddThh:mm'.length)}:00.000Z`;
  const ofAccount = sha256Hex(account);
  const ofNetwork = sha256Hex(networkOf(address));
  return {
    minute,
    pair: `${PAIRS}${ofAccount} ${ofNetwork}`,
    known: `known ${ofAccount} ${ofNetwork}`,
    account: `account ${ofAccount} ${minute}`,
    address: `address ${ofNetwork} ${minute}`,
    told: `told ${ofAccount}`,
  };
}
