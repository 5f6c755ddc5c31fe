/** Which words of a text are other than before. Pure. */
import { diffSequences, type Step } from './sequence-difference.ts';

/** Beyond that many words on either side the texts are shown whole: a table of all pairs would take too long. */
const MOST_WORDS = 600;
/** Less alike than that, two texts are read one after the other: a patchwork of both says less. */
const LEAST_ALIKE = 0.4;

/**
 * The parts of both texts in order; null when they are too long, or less than 40 % alike. Joined without the
 * added parts it is the text before, without the removed the text after.
 *
 * @example findWordChanges('pay Ann', 'pay Bob') // same 'pay ', removed 'Ann', added 'Bob'
 */
export function findWordChanges(before: string, after: string): Step[] | null {
  const old = wordsOf(before);
  const fresh = wordsOf(after);
  if (old.length > MOST_WORDS || fresh.length > MOST_WORDS) return null;
  const parts = joined(diffSequences(old, fresh));
  return alike(parts, before, after) < LEAST_ALIKE ? null : parts;
}

/** Words side by side that became the same are one part. */
function joined(words: readonly Step[]): Step[] {
  const parts: Step[] = [];
  for (const { kind, text } of words) {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  }
  return parts;
}

/** The share of the longer text that both have, without the spaces; from 0 to 1. */
function alike(parts: readonly Step[], before: string, after: string): number {
  const same = parts.filter(({ kind }) => kind === 'same').map(({ text }) => text);
  const longer = Math.max(lettersOf(before), lettersOf(after));
  return longer === 0 ? 1 : lettersOf(same.join('')) / longer;
}

function lettersOf(text: string): number {
  return text.replaceAll(/\s+/g, '').length;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}
