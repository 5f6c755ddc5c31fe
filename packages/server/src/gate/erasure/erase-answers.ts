import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { FoundAnswer } from './erasure.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import { type ErasureSubject, markUnfinished } from './unfinished-erasure.ts';

/**
 * Erases the stored answers that contain a text and that `isOurs` accepts. Their requests remain known as answered, so
 * a repetition is refused and not carried out again.
 */
export async function eraseAnswersWith(
  gate: ErasureDeps,
  subject: ErasureSubject,
  text: string,
  isOurs: (answer: FoundAnswer) => boolean | Promise<boolean>,
): Promise<number> {
  let erased = 0;
  for (let from: number | null = 0; from !== null; ) {
    const found = await gate.storage.read.findAnswersWithText(text, from);
    from = found.next;
    for (const answer of found.items) {
      if (!(await isOurs(answer))) continue;
      await gate.storage.transaction(async (tx) => {
        await markUnfinished(gate, tx, subject);
        await tx.eraseAnswer(answer);
      });
      erased += 1;
    }
    await yieldToEventLoop();
  }
  return erased;
}
