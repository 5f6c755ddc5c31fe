import { Permitry } from '@permitry/sdk';
import { type ConnectionFlags, type Profile, readProfile } from './read-profile.ts';

/**
 * A client of the gate these flags mean, as whoever is signed in there.
 *
 * @throws CommandFailure as `readProfile`
 * @example const client = openClient(flags);
 */
export function openClient(flags: ConnectionFlags): Permitry {
  return openClientAs(readProfile(flags));
}

/** The same for a profile that was read already. */
export function openClientAs({ baseUrl, key }: Profile): Permitry {
  return new Permitry({ baseUrl, apiKey: key });
}
