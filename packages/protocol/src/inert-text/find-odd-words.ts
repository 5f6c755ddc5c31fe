/** Finds the words of texts that are not what they seem, for places that cannot mark a word in the text itself. */
import { OVERLAYS } from '../odd-characters.ts';
import { EVERYDAY, toSegments } from './to-segments.ts';

/** `why` names what the word resembles. Both members hold text of foreign origin, which is not inert. */
export interface OddWord {
  word: string;
  why: string;
}

const WORD = /[^ \n]+/g;
const OVERLAY = new RegExp(`[${OVERLAYS}]`, 'gv');

/**
 * Finds look-alike letters and signs, mixed alphabets and digits, letters with overlays, and text that is not in
 * Unicode form NFC. Returns each word once, in the order of the texts. Skips invisible characters: terminals, mails and
 * chat show those by number.
 *
 * @example findOddWords(['to p\u0430ypal']) // [{ word: 'pаypal', why: 'mixes Latin and Cyrillic letters; reads like “paypal”' }]
 */
export function findOddWords(texts: readonly string[]): OddWord[] {
  const found = new Map<string, string>();
  for (const text of texts) {
    if (EVERYDAY.test(text)) continue;
    for (const [written] of text.matchAll(WORD)) {
      for (const { word, why } of oddIn(written)) if (!found.has(word)) found.set(word, why);
    }
  }
  return [...found].map(([word, why]) => ({ word, why }));
}

function oddIn(word: string): OddWord[] {
  const odd = toSegments(word).flatMap((segment): OddWord[] => {
    if (segment.kind === 'suspect') return [{ word: segment.text, why: segment.why }];
    return segment.kind === 'note'
      ? [{ word, why: `${segment.label}; reads like “${word.normalize('NFC')}”` }]
      : [];
  });
  const withoutOverlays = word.replace(OVERLAY, '');
  if (withoutOverlays !== word)
    odd.push({ word, why: `letters drawn over; reads like “${withoutOverlays}”` });
  return odd;
}
