import type { IntentReader } from '../gate/intents/intent.ts';
import type { Bus } from '../gate/kernel/bus.ts';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import { yieldToEventLoop } from '../gate/kernel/yield-to-event-loop.ts';
import type { WaitingRoom } from './wakeups.ts';

const EVERY_MS = 1000;
/** Intents per query. */
const AT_ONCE = 1000;

/**
 * Wakes local waiters whose intent another gate resolved. Bus messages are only hints: one query checks all the intents
 * that they name, and only resolved intents wake their waiters. A full check once a second finds what the bus missed. A
 * gate that does not share its database never polls.
 *
 * @returns A function that stops, and resolves when running checks have ended.
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
      // If this read fails, the next full check finds the intents.
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
