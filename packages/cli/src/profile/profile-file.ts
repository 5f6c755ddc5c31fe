/**
 * Owns the profile file: for each gate's address, the token of the person who signed in there. Nobody else may read it.
 */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { usage } from '../command-failure.ts';
import { readPrivateFile } from '../input/read-private-file.ts';

/** One sign-in. */
export interface SavedProfile {
  token: string;
  /** The person's address, as the gate reported at sign-in. Null for keys of agents and executors. */
  email: string | null;
  rights: readonly string[];
  /** Null: until it is revoked. */
  expires_at: string | null;
}

export interface ProfileFile {
  /** Base URL of the default profile. */
  current: string | null;
  profiles: Readonly<Record<string, SavedProfile>>;
}

const NONE: ProfileFile = { current: null, profiles: {} };

/** As the XDG Base Directory Specification defines: `$XDG_CONFIG_HOME/permitry`, else `~/.config/permitry`. */
export function profilePath(): string {
  const { XDG_CONFIG_HOME: given } = process.env;
  // The specification says to ignore a relative path.
  const config = given?.startsWith('/') ? given : join(homedir(), '.config');
  return join(config, 'permitry', 'profiles.json');
}

/** @throws CommandFailure for a file that others may read, or that is not ours */
export function readProfileFile(path = profilePath()): ProfileFile {
  const text = readPrivateFile(path, 'credentials');
  if (text === undefined) return NONE;
  const read = parse(text);
  if (!isProfileFile(read)) {
    throw usage(`${path} is not a Permitry profiles file. Move it away and sign in again.`);
  }
  return read;
}

/** Replaces the file as a whole, so that a crash leaves the old one. */
export async function writeProfileFile(file: ProfileFile, path = profilePath()): Promise<void> {
  const { writeWholeFile } = await import('@permitry/server/files');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeWholeFile(path, `${JSON.stringify(file, null, 2)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProfileFile(value: unknown): value is ProfileFile {
  if (typeof value !== 'object' || value === null) return false;
  const { current, profiles } = value as Partial<ProfileFile>;
  if (current !== null && typeof current !== 'string') return false;
  if (typeof profiles !== 'object' || profiles === null) return false;
  return Object.values(profiles).every(
    (profile: unknown) =>
      typeof profile === 'object' &&
      profile !== null &&
      typeof (profile as SavedProfile).token === 'string' &&
      Array.isArray((profile as SavedProfile).rights),
  );
}
