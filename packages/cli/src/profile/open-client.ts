/**
 * Owns the choice of gate and credential. Flags come before variables, and variables before the file that `permitry
 * login` wrote.
 */
import { parseApiKey } from '@permitry/protocol';
import type { Permitry } from '@permitry/sdk';
import { CommandFailure, refused, usage } from '../command-failure.ts';
import { readSecretVariable } from '../input/secret-variable.ts';
import { tellWarning } from '../printing/print.ts';
import { fullTime } from '../printing/say.ts';
import { isReadOnTheWay, toBaseUrl } from './base-url.ts';
import { readProfileFile } from './profile-file.ts';

/** Flags of every command that talks to a gate over HTTP. */
export interface ConnectionFlags {
  url?: string;
  json?: true;
}

export interface Profile {
  baseUrl: string;
  /** A user token, or the key from PERMITRY_KEY or its file. */
  key: string;
  from: 'environment' | 'file';
}

/** The SDK's default. */
const DEFAULT_URL = 'http://localhost:8787';

/** The gate that the flags mean, whether or not somebody signed in there. */
export function findBaseUrl({ url }: ConnectionFlags): string | undefined {
  const given = url ?? process.env.PERMITRY_URL?.trim();
  return given ? toBaseUrl(given) : undefined;
}

/** The gate to sign in at, or to enrol a key at. The key in PERMITRY_KEY is not sent there. */
export function getBaseUrl(flags: ConnectionFlags): string {
  return findBaseUrl(flags) ?? readProfileFile().current ?? DEFAULT_URL;
}

/**
 * A key from the environment goes to the gate that a flag or variable names, or to the one on this machine. It never
 * goes to a gate only because somebody signed in there. Without such a key, the token of the profile is used.
 *
 * @throws CommandFailure if nobody is signed in, the sign-in has ended, or others may read the profile file
 */
export async function readProfile(flags: ConnectionFlags): Promise<Profile> {
  const named = findBaseUrl(flags);
  const key = await readSecretVariable('PERMITRY_KEY', { json: flags.json === true });
  if (key) {
    if (!parseApiKey(key)) throw usage('PERMITRY_KEY does not hold a key of a gate (prm_…).');
    return warned({ baseUrl: named ?? DEFAULT_URL, key, from: 'environment' }, flags);
  }
  const { current, profiles } = readProfileFile();
  const baseUrl = named ?? current;
  if (baseUrl === null) {
    throw new CommandFailure(
      2,
      'Nobody is signed in on this machine. Sign in with: permitry login URL (the address of your gate), or set PERMITRY_KEY and PERMITRY_URL.',
      { code: 'not_signed_in' },
    );
  }
  const saved = Object.hasOwn(profiles, baseUrl) ? profiles[baseUrl] : undefined;
  if (!saved) {
    throw new CommandFailure(
      2,
      `You are not signed in to ${baseUrl}. Sign in with: permitry login ${baseUrl}, or set PERMITRY_KEY and PERMITRY_URL.`,
      { code: 'not_signed_in' },
    );
  }
  if (saved.expires_at !== null && Date.parse(saved.expires_at) <= Date.now()) {
    throw refused(
      `Your sign-in to ${baseUrl} expired: ${fullTime(saved.expires_at, process.stderr)}. Sign in again with: permitry login ${baseUrl}`,
      'not_signed_in',
    );
  }
  return warned({ baseUrl, key: saved.token, from: 'file' }, flags);
}

function warned(profile: Profile, { json }: ConnectionFlags): Profile {
  warnOfPlainHttp(profile.baseUrl, json === true);
  return profile;
}

export function warnOfPlainHttp(baseUrl: string, json: boolean): void {
  if (!isReadOnTheWay(baseUrl)) return;
  tellWarning(
    `The connection to ${baseUrl} is not encrypted. Others on the network can read your key or access token.`,
    { json },
  );
}

/**
 * A client of the gate that these flags mean, as the person signed in there.
 *
 * @throws CommandFailure as `readProfile`
 * @example const client = await openClient(flags);
 */
export async function openClient(flags: ConnectionFlags): Promise<Permitry> {
  return openClientAs(await readProfile(flags));
}

/** As `openClient`, for a profile that was already read. */
export async function openClientAs({ baseUrl, key }: Pick<Profile, 'baseUrl' | 'key'>): Promise<Permitry> {
  const { Permitry } = await import('@permitry/sdk');
  return new Permitry({ baseUrl, apiKey: key });
}
