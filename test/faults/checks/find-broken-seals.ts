/** The chain of each project, read in the database itself: one chain without a gap, with every event once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PrimaryAndStandby } from '../cluster/primary-and-standby.ts';

/**
 * Any gate seals an event within about a second of its commit, or the event is never sealed. Intents expire at any
 * time, so there may always be new events.
 */
const SEALED_WITHIN_MS = 60_000;
const POLL_EVERY_MS = 200;

export async function findBrokenSeals(database: PrimaryAndStandby): Promise<string[]> {
  const deadline = performance.now() + SEALED_WITHIN_MS;
  const late = await readUnsealed(database);
  while (late.size > 0 && performance.now() < deadline) {
    await delay(POLL_EVERY_MS);
    const still = await readUnsealed(database);
    for (const id of late) if (!still.has(id)) late.delete(id);
  }
  const rows = await database.query(
    `select project_id, count(seq)::int as sealed, count(distinct seq)::int as places,
       coalesce(min(seq), 1)::int as first, coalesce(max(seq), 0)::int as last
     from events group by project_id`,
  );
  return [
    ...[...late].map((id) => `${id} is not sealed`),
    ...rows.flatMap(({ project_id: project, sealed, places, first, last }) => [
      ...(places === sealed ? [] : [`${project}: ${sealed} events share ${places} places in the chain`]),
      ...(first === 1 && last === places
        ? []
        : [`${project}: the places ${first} to ${last} hold ${places} events`]),
    ]),
  ];
}

async function readUnsealed(database: PrimaryAndStandby): Promise<Set<string>> {
  const rows = await database.query('select id from events where seq is null');
  return new Set(rows.map(({ id }) => String(id)));
}
