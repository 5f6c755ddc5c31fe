/**
 * Hashes passwords with argon2id and OWASP's parameters (19 MiB, two passes, one lane), on the library's threads. Only
 * a few hashes run at a time, so a flood of sign-ins neither fills the memory nor blocks the gate's processors.
 */

import { GateError } from '../../gate/kernel/errors.ts';
import type { PasswordHasher } from './password.ts';

/** Loaded when needed: no command of the command line hashes a password. */
const load = () => import('@node-rs/argon2');

const ALGORITHM_ARGON2ID = 2;
const PARAMETERS = {
  algorithm: ALGORITHM_ARGON2ID,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const;
/** The beginning of a hash with these parameters (PHC string format). */
const FORM = '$argon2id$v=19$m=19456,t=2,p=1$';
const AT_ONCE = 2;
/**
 * The hash of a random password that nobody knows. When the account has no password, the gate compares with this hash,
 * so that the work is the same.
 */
const NOBODYS =
  '$argon2id$v=19$m=19456,t=2,p=1$9OWMAamUHOK1BDgy52T4nQ$yfLI92gyF2+18f3FGOeAf8swx9VIModsokc5SuUl1bw';
/** About a second of work. Further callers are asked to try again. */
const MOST_WAITING = 40;

export class Argon2Hasher implements PasswordHasher {
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  runs = 0;

  hash(password: string): Promise<string> {
    return this.#oneAtATime(async () => (await load()).hash(password, PARAMETERS));
  }

  async verify(stored: string | null, password: string): Promise<boolean> {
    const fits = await this.#oneAtATime(async () => (await load()).verify(stored ?? NOBODYS, password));
    return fits && stored !== null;
  }

  isOutdated(stored: string): boolean {
    return !stored.startsWith(FORM);
  }

  async #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new GateError('service_unavailable', 'Too many sign-ins at once; try again in a moment.', {
          retry_after_seconds: 2,
        });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    this.runs += 1;
    try {
      return await work();
    } finally {
      // Hands the slot to the next caller instead of freeing it, so that no newcomer can take it first.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
