/** Which words of a text are other than before. Pure. */
export interface WordPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

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
export function findWordChanges(before: string, after: string): WordPart[] | null {
  const old = wordsOf(before);
  const fresh = wordsOf(after);
  if (old.length > MOST_WORDS || fresh.length > MOST_WORDS) return null;
  const parts = merge(old, fresh, commonLengths(old, fresh));
  return alike(parts, before, after) < LEAST_ALIKE ? null : parts;
}

/** The share of the longer text that both have, without the spaces; from 0 to 1. */
function alike(parts: readonly WordPart[], before: string, after: string): number {
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

/** Longest common subsequence of the rest of both texts, from each pair of places on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint16Array {
  const width = fresh.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const here = i * width + j;
      lengths[here] =
        old[i] === fresh[j]
          ? (lengths[here + width + 1] ?? 0) + 1
          : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0);
    }
  }
  return lengths;
}

function merge(old: readonly string[], fresh: readonly string[], lengths: Uint16Array): WordPart[] {
  const parts: WordPart[] = [];
  const add = (kind: WordPart['kind'], text: string): void => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  const width = fresh.length + 1;
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const before = old[i];
    const after = fresh[j];
    if (before !== undefined && before === after) {
      add('same', before);
      i += 1;
      j += 1;
    } else if (
      before !== undefined &&
      (after === undefined || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      add('removed', before);
      i += 1;
    } else if (after !== undefined) {
      add('added', after);
      j += 1;
    }
  }
  return parts;
}
