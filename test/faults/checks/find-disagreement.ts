/** Several gates on one database agree on everything, and no executor may use a permit twice. */
import { isDeepStrictEqual } from 'node:util';
import type { Cast } from '../gate/cast.ts';
import type { AnyClient } from '../gate/client.ts';
import type { Chronicle } from '../stories/chronicle.ts';
import { readAll } from './read-gate.ts';

type Thing = Record<string, unknown>;

/** Every intent has one state and one resolution, whichever gate is asked. */
export async function findDisagreement(
  gates: readonly (AnyClient & { name: string })[],
  cast: Cast,
): Promise<string[]> {
  const views = await Promise.all(
    gates.map(async (gate) => ({
      name: gate.name,
      intents: new Map(
        (await readAll(gate, '/api/intents', cast.secretKey, 'intents')).map((intent) => [
          String(intent.id),
          intent,
        ]),
      ),
    })),
  );
  const [first, ...others] = views;
  return others.flatMap(({ name, intents }) => {
    const ids = new Set([...(first?.intents.keys() ?? []), ...intents.keys()]);
    return [...ids].flatMap((id) => differences(id, first?.intents.get(id), intents.get(id), name));
  });
}

function differences(id: string, one: Thing | undefined, other: Thing | undefined, name: string): string[] {
  if (!one || !other) return [`${id}: gate ${name} ${other ? 'alone knows it' : 'does not know it'}`];
  const differing = Object.keys(one).filter((member) => !isDeepStrictEqual(one[member], other[member]));
  return differing.length === 0 ? [] : [`${id}: gate ${name} shows another ${differing.join(', ')}`];
}

/** Finds permits for which executors were allowed to act more than once. A repeated answer does not count twice. */
export function findUsedTwice(chronicle: Chronicle): string[] {
  const goAheads = chronicle
    .done()
    .filter(({ kind, answer }) => kind === 'consume' && answer.headers['idempotency-replayed'] !== 'true');
  return [...Map.groupBy(goAheads, ({ subject }) => subject)]
    .filter(([, times]) => times.length > 1)
    .map(([id, times]) => `${id}: its executor was told to go ahead ${times.length} times`);
}
