import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import { OpenSlots, type Slot } from './open-slots.ts';

export interface WaitingLimits {
  /** Maximum of open requests per credential. */
  perCredential: number;
  /** Maximum per project, so that a project's agents do not take the slots of all others. */
  perProject: number;
  inAll: number;
}

/** A waiting read costs about 20 kB. These limits leave connections for other requests. */
export const WAITING_READS: WaitingLimits = { perCredential: 10_000, perProject: 10_000, inAll: 15_000 };
/** A held tool call costs about 50 kB. */
export const WAITING_CALLS: WaitingLimits = { perCredential: 500, perProject: 2000, inAll: 4000 };

const RETRY_SECONDS = 5;

/** Counts the answers that this gate holds until they have a content, so that nobody can fill its memory. */
export class WaitingRequests {
  readonly #what: string;
  readonly #limits: WaitingLimits;
  readonly #slots: OpenSlots;
  #refused = 0;

  /** @param what The name of the held requests, in the plural. */
  constructor(what: string, limits: WaitingLimits) {
    this.#what = what;
    this.#limits = limits;
    this.#slots = new OpenSlots(limits.inAll);
  }

  /** The number held now. */
  get count(): number {
    return this.#slots.taken;
  }

  /** The number of requests refused over the limit since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Holds an answer until the work ends. Returns undefined and does nothing if that would exceed a limit. */
  tryWait<T>(caller: Caller, work: () => Promise<T>): Promise<T> | undefined {
    const slots = this.#slotsOf(caller);
    if (this.#slots.take(slots)) {
      this.#refused += 1;
      return undefined;
    }
    return work().finally(() => this.#slots.giveBack(slots));
  }

  /**
   * Like `tryWait`, for a caller that can retry without waiting.
   *
   * @throws GateError `rate_limited` when that would exceed a limit
   */
  async wait<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    const waiting = this.tryWait(caller, work);
    if (waiting) return waiting;
    const { perCredential, perProject, inAll } = this.#limits;
    throw new GateError(
      'rate_limited',
      `Too many ${this.#what} are waiting: at most ${perCredential} per credential, ${perProject} per project and ${inAll} in total. Try again later, or without waiting.`,
      { retry_after_seconds: RETRY_SECONDS },
    );
  }

  #slotsOf(caller: Caller): readonly Slot[] {
    const { perCredential, perProject } = this.#limits;
    const ofCredential = {
      name: `credential ${caller.credentialId}`,
      whose: 'A credential',
      most: perCredential,
    };
    if (!('projectId' in caller)) return [ofCredential];
    return [ofCredential, { name: `project ${caller.projectId}`, whose: 'A project', most: perProject }];
  }
}
