/** Sentences made of parts, so that names and conditions in them can be shown as they are written. Pure. */

/** A part of a sentence. `name`: of an action, a group or a person. `code`: a condition as written. */
export interface SentencePart {
  kind: 'words' | 'name' | 'code' | 'effect';
  text: string;
}

export type SentenceParts = readonly SentencePart[];

/**
 * A phrase with parts in it, for the words modules.
 *
 * @example phrase`${who} requests ${action}`
 */
export function phrase(
  texts: TemplateStringsArray,
  ...values: (SentenceParts | SentencePart | string)[]
): SentencePart[] {
  return merge(texts.flatMap((text, at) => [...toParts(text), ...toParts(values[at] ?? '')]));
}

/** "a, b or c". */
export function enumerate(items: readonly SentenceParts[], last: string): SentencePart[] {
  return merge(
    items.flatMap((item, index) => {
      if (index === 0) return item;
      return [...toParts(index === items.length - 1 ? ` ${last} ` : ', '), ...item];
    }),
  );
}

export function sentenceText(parts: SentenceParts): string {
  return parts.map(({ text }) => text).join('');
}

function toParts(value: SentenceParts | SentencePart | string): SentenceParts {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'words', text: value }];
  return 'kind' in value ? [value] : value;
}

function merge(parts: SentenceParts): SentencePart[] {
  const merged: SentencePart[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (before?.kind === 'words' && part.kind === 'words') before.text += part.text;
    else merged.push({ ...part });
  }
  return merged;
}
