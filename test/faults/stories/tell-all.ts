/** The load: all stories simultaneously, over and over, until the gate is gone or the time is over. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Cast } from '../gate/cast.ts';
import type { AnyClient } from '../gate/client.ts';
import type { Random } from '../random.ts';
import { type Chronicle, NoAnswer, Unavailable } from './chronicle.ts';
import { INTENT_STORIES } from './intent-stories.ts';
import { OFFICE_STORIES, stopAndStart } from './office-stories.ts';
import { Storyteller } from './storyteller.ts';

export interface Load {
  client: AnyClient;
  cast: Cast;
  chronicle: Chronicle;
  random: Random;
  /** A name that is never used again on this gate. */
  name: string;
  /** How many stories about intents run simultaneously. */
  narrators?: number;
  /** Stories about intents. Default: all of them. */
  stories?: typeof INTENT_STORIES;
  /** Whether another story begins after a lost connection interrupts one, because there are other gates. */
  goesOn?: boolean;
  /** The pause between two stories of one narrator, in milliseconds. */
  pauseMs?: number;
  /** Returns true when no further story may begin. */
  isOver(): boolean;
}

/** Resolves when every story has ended or was interrupted. */
export async function tellAll({ narrators = 16, stories = INTENT_STORIES, ...load }: Load): Promise<void> {
  const about = (n: number) => async (t: Storyteller) => {
    if (n === 0) await t.random.pick(OFFICE_STORIES)(t);
    else if (n === 1) await stopAndStart(t);
    else await t.random.pick(stories)(t);
  };
  await Promise.all(
    Array.from({ length: narrators + 2 }, (_, n) =>
      narrate(new Storyteller({ ...load, name: `${load.name}-${n}` }), about(n), load),
    ),
  );
}

/** A story interrupted by a lost or read-only gate is not resumed. */
async function narrate(
  teller: Storyteller,
  story: (t: Storyteller) => Promise<void>,
  { isOver, goesOn = false, pauseMs = 0 }: Pick<Load, 'isOver' | 'goesOn' | 'pauseMs'>,
): Promise<void> {
  while (!isOver()) {
    try {
      await story(teller);
      if (pauseMs > 0) await delay(pauseMs);
    } catch (error) {
      if (error instanceof NoAnswer && !goesOn) return;
      if (error instanceof NoAnswer || error instanceof Unavailable) await delay(20);
      else if (teller.chronicle.surprises.length > 0) return;
      else throw error;
    }
  }
}
