/** Finds the words of a text that changed. Pure. */
import { diffSequences, type Step } from './sequence-difference.ts';

/** With more words on either side, both texts are shown whole: a table of all pairs would take too long. */
const MOST_WORDS = 600;
/** Below this similarity, both texts are shown in turn, because a mix of the two is hard to read. */
const LEAST_ALIKE = 0.4;

/**
 * The parts of both texts in order; null when they are too long, or less than 40 % alike. Without the added parts they
 * form the text before, and without the removed parts the text after.
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

/** Merges adjacent words of the same kind into one part. */
function joined(words: readonly Step[]): Step[] {
  const parts: Step[] = [];
  for (const { kind, text } of words) {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  }
  return parts;
}

/** The share of the longer text that both have in common, without spaces; from 0 to 1. */
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
