import type { IntentReader } from '../gate/intents/intent.ts';
import type { Bus } from '../gate/kernel/bus.ts';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import { yieldToEventLoop } from '../gate/kernel/yield-to-event-loop.ts';
import type { WaitingRoom } from './wakeups.ts';

const EVERY_MS = 1000;
/** Intents of one query. */
const AT_ONCE = 1000;

/**
 * Wakes those here whose intent another gate resolved. What the bus says is a rumour: whether the intent is resolved is
 * looked up, in one query for all that was said at once, and only then is anybody woken. For what the bus did not bring
 * it looks once a second. A gate that has its database to itself never looks.
 *
 * @returns Stops; resolves when the looks under way have ended.
 */
export function pollForResolved(
  { bus, storage: { read } }: { bus: Bus; storage: { read: Pick<IntentReader, 'listResolved'> } },
  room: WaitingRoom,
  onError: (error: unknown) => void,
): () => Promise<void> {
  if (!bus.shared) return async () => {};
  const rumours = new Set<string>();
  let following: Promise<void> | undefined;

  async function poll(intentIds: readonly string[]): Promise<void> {
    for (let from = 0; from < intentIds.length; from += AT_ONCE) {
      const resolved = await read.listResolved(intentIds.slice(from, from + AT_ONCE));
      for (const intentId of resolved) room.wakeHere(intentId);
    }
  }

  async function followRumours(): Promise<void> {
    await yieldToEventLoop();
    while (rumours.size > 0) {
      const heard = [...rumours];
      rumours.clear();
      // What cannot be read now is found by the next look at everything.
      await poll(heard).catch(onError);
    }
    following = undefined;
  }

  const pollAll = complainingOnce(() => poll(room.intentIds), onError);
  const stops = [
    bus.hear('resolved', (intentId) => {
      if (!room.isWaitedFor(intentId)) return;
      rumours.add(intentId);
      following ??= followRumours();
    }),
    bus.onMissed(() => void pollAll()),
    repeatedly(EVERY_MS, pollAll, onError),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await following;
  };
}
