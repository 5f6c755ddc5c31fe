import { warnOfEndingKeys } from '../../gate/agents/warn-of-ending-keys.ts';
import { expireAllDue } from '../../gate/intents/expire.ts';
import { repeatedly } from '../../gate/kernel/repeatedly.ts';
import { sweepLostRuns } from '../../gate/tools/sweep-lost-runs.ts';
import type { GateParts } from '../../open-gate.ts';
import {
  sweepAnswers,
  sweepChallenges,
  sweepLeases,
  sweepLinks,
  sweepSessions,
  sweepSignInTries,
} from './sweeps.ts';

interface Chore {
  everyMs: number;
  work: (gate: GateParts) => Promise<unknown>;
  /** Whether the chore also runs when the gate starts. */
  atStart?: boolean;
  /** The log message when the chore fails. */
  failure: string;
}

/** A gate's background work. No chore runs twice at the same time. */
const CHORES: readonly Chore[] = [
  // Expires intents that nobody opens. Costs one small query while none is due.
  { everyMs: 1000, work: expireAllDue, failure: 'expiry sweep failed' },
  // Runs at the start, so that runs lost by an earlier process are settled before anyone asks for them.
  { everyMs: 5000, work: sweepLostRuns, atStart: true, failure: 'runs that were lost could not be settled' },
  { everyMs: 60_000, work: sweepAnswers, failure: 'expired answers could not be deleted' },
  {
    everyMs: 60_000,
    work: sweepChallenges,
    failure: 'challenges past their time could not be deleted',
  },
  { everyMs: 600_000, work: warnOfEndingKeys, failure: 'people could not be warned of keys that end' },
  { everyMs: 600_000, work: sweepLinks, failure: 'links past their time could not be deleted' },
  { everyMs: 60_000, work: sweepSignInTries, failure: 'old tries to sign in could not be deleted' },
  { everyMs: 600_000, work: sweepLeases, failure: 'leases past their time could not be deleted' },
  { everyMs: 600_000, work: sweepSessions, failure: 'sessions that ended could not be deleted' },
];

/**
 * Starts the chores, which every gate on a database runs. If one gate has deleted or expired something, the others have
 * nothing to do. Returns a function that stops them.
 */
export function startChores(
  gate: GateParts,
  onError: (error: unknown, what: string) => void,
): () => Promise<void> {
  const stops = CHORES.map(({ everyMs, work, atStart, failure }) =>
    repeatedly(
      everyMs,
      () => work(gate),
      (error) => onError(error, failure),
      atStart ? { firstAfterMs: 0 } : {},
    ),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
