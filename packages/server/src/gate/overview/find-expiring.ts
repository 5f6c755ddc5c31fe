import { nextTurn } from '../kernel/next-turn.ts';
import type { ExpiringIntent, Overview } from './overview.ts';
import type { OverviewDeps } from './overview-deps.ts';

const MOST_SHOWN = 10;
/** Pending intents of all projects stand in one order; so many of others are passed by at most. */
const LOOKED_AT_ONCE = 500;
const MOST_LOOKS = 20;

/** The pending intents of the project that end soonest. */
export async function findExpiring(
  { storage: { committed }, clock }: Pick<OverviewDeps, 'storage' | 'clock'>,
  projectId: string,
): Promise<Overview['expiring']> {
  const found: ExpiringIntent[] = [];
  let after = { expiresAt: clock.now(), place: Number.MAX_SAFE_INTEGER };
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { intents, next } = await committed.listExpiringIntents(projectId, {
      after,
      length: LOOKED_AT_ONCE,
    });
    found.push(...intents);
    if (next === null || found.length >= MOST_SHOWN)
      return { intents: found.slice(0, MOST_SHOWN), complete: true };
    after = next;
    await nextTurn();
  }
  return { intents: found, complete: false };
}
