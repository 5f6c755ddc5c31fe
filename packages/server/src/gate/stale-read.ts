import { GateError } from './errors.ts';
import type { Transaction } from './ports.ts';
import type { ProjectSettings } from './projects/project-settings.ts';

/** What an operation read before its transaction no longer holds inside it; the operation starts over. */
export class StaleReadError extends Error {
  constructor() {
    super('what was read before the transaction has changed');
    this.name = 'StaleReadError';
  }
}

/**
 * Each attempt that fails lost to another one that won, so the number of attempts is bounded by the number of
 * rivals; the cap only keeps a fault from spinning.
 */
const MOST_ATTEMPTS = 500;

/**
 * Runs an optimistic operation until its transaction saw what it had read: read, rule, sign, guarded write.
 *
 * @param attempt Told whether it is the first: a later one must read anew what the first was handed, or it would
 * find the same thing stale for ever.
 */
export async function retryWhenStale<T>(attempt: (isFirst: boolean) => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
    try {
      return await attempt(attempts === 0);
    } catch (error) {
      if (!(error instanceof StaleReadError)) throw error;
    }
  }
  throw new GateError('service_unavailable', 'Too many changes at once; try again.', {
    retry_after_seconds: 1,
  });
}

/** Settings, policy, agents and people must be in the transaction what they were when the rule was applied. */
export async function assertSettingsCurrent(tx: Transaction, settings: ProjectSettings): Promise<void> {
  const project = await tx.findProject(settings.projectId);
  if (project?.revision !== settings.revision) throw new StaleReadError();
}
