/**
 * What slows the guessing of passwords and codes down (threat 16): failures per address, per account, and first of all
 * per pair of both, so that a stranger who fails on purpose shuts out himself and not the person. Kept in the database,
 * where all gates find it; accounts and addresses stand there as digests.
 */

import { sha256Hex } from '@permitry/protocol';
import { addSeconds, type Instant, millisecondsBetween } from '../../gate/kernel/instant.ts';
import { networkOf } from './network-of.ts';
import type { SignInCount, SignInCountReader, SignInCountWriter } from './sign-in-count.ts';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const KNOWN_SECONDS = 180 * 24 * HOUR_SECONDS;

/** Failures of one address on one account before it has to wait; each further one doubles the wait. */
const FREE_TRIES = 5;
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 15 * MINUTE_SECONDS;
/** Failures of all addresses on one account in a minute, beyond which only addresses known to it may try. */
const PER_ACCOUNT = 20;
/** Failures of one address in a minute, whatever the account. */
const PER_ADDRESS = 30;

/** Names of pairs begin with it: there may be as many of them as strangers think of. */
export const PAIRS = 'pair ';

/** Whose tries are counted, and where they come from. */
export interface Tried {
  /** Normalised, whether or not anybody has it: what is unknown is slowed down alike. */
  account: string;
  /** Null: whoever tries, only the account counts. */
  address: string | null;
}

/** `tell`: the account was not told of within the last hour, and should be. */
export type CountedTry =
  | { kind: 'refused'; waitMs: number; tell: boolean }
  | { kind: 'counted'; tell: boolean; minute: string; known: boolean; before: SignInCount | undefined };

/** Counts a try as failed; the caller takes that back when it did not. */
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
  // Known addresses have a count of their own, so that strangers do not use it up, nor they the strangers'.
  if (!isKnown) await tx.saveSignInCount(names.account, { count: (ofAccount?.count ?? 0) + 1, ...inMinute });
  const count = (streak?.count ?? 0) + 1;
  const until = addSeconds(now, waitAfter(count));
  await tx.saveSignInCount(names.pair, { count, until, keptUntil: addSeconds(until, HOUR_SECONDS) });
  // Whoever gets as far as guessing codes has the password.
  const tell = tried.address === null && count === FREE_TRIES && (await tellOnce(tx, names.told, now));
  return { kind: 'counted', tell, minute: names.minute, known: isKnown, before: streak };
}

type Counted = Extract<CountedTry, { kind: 'counted' }>;

/** The try said nothing about the password, e.g. because the storage was away. */
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
  // As it was before, or, where others failed beside it, one failure less and no more.
  const { before } = counted;
  const count = streak.count - 1;
  if (count > (before?.count ?? 0)) await tx.saveSignInCount(pair, { ...streak, count });
  else if (before) await tx.saveSignInCount(pair, before);
  else await tx.dropSignInCount(pair);
}

/** The try was right: it is no failure, and the address is welcome. */
export async function takeForGood(
  tx: SignInCountReader & SignInCountWriter,
  tried: Tried,
  counted: Counted,
  now: Instant,
): Promise<void> {
  await takeBackMinute(tx, tried, counted, now);
  await welcome(tx, tried, now);
}

/** The person signed in from there: earlier failures are forgotten, and the address is known from now on. */
export async function welcome(tx: SignInCountWriter, tried: Tried, now: Instant): Promise<void> {
  const { pair, known } = namesOf(tried, now);
  await tx.dropSignInCount(pair);
  // Nowhere is no place that could be known: codes count together wherever they come from.
  if (tried.address === null) return;
  await tx.saveSignInCount(known, { count: 1, until: now, keptUntil: addSeconds(now, KNOWN_SECONDS) });
}

/** From where the person signed in; the rest of it is gone within hours by itself. */
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

/** Whether an hour has passed since it was last told. */
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
