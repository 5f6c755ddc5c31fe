import type { Permitry } from '@permitry/sdk';
import { type ConnectionFlags, type Profile, readProfile } from './read-profile.ts';

/**
 * A client of the gate these flags mean, as whoever is signed in there.
 *
 * @throws CommandFailure as `readProfile`
 * @example const client = await openClient(flags);
 */
export async function openClient(flags: ConnectionFlags): Promise<Permitry> {
  return openClientAs(await readProfile(flags));
}

/** The same for a profile that was read already. */
export async function openClientAs({ baseUrl, key }: Pick<Profile, 'baseUrl' | 'key'>): Promise<Permitry> {
  const { Permitry } = await import('@permitry/sdk');
  return new Permitry({ baseUrl, apiKey: key });
}
