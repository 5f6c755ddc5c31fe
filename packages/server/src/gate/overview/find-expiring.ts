import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { ExpiringIntent, Overview } from './overview.ts';
import type { OverviewDeps } from './overview-deps.ts';

const MOST_SHOWN = 10;
/**
 * Intents per read. One list orders the pending intents of all projects by expiry, so a search may have to skip other
 * projects' intents.
 */
const READ_AT_ONCE = 500;
const MOST_READS = 20;

/** The pending intents of the project that expire soonest. */
export async function findExpiring(
  { storage: { read }, clock }: Pick<OverviewDeps, 'storage' | 'clock'>,
  projectId: string,
): Promise<Overview['expiring']> {
  const found: ExpiringIntent[] = [];
  let after = { expiresAt: clock.now(), position: Number.MAX_SAFE_INTEGER };
  for (let reads = 0; reads < MOST_READS; reads++) {
    const { intents, next } = await read.listExpiringIntents(projectId, {
      after,
      length: READ_AT_ONCE,
    });
    found.push(...intents);
    if (next === null || found.length >= MOST_SHOWN)
      return { intents: found.slice(0, MOST_SHOWN), complete: true };
    after = next;
    await yieldToEventLoop();
  }
  return { intents: found, complete: false };
}
