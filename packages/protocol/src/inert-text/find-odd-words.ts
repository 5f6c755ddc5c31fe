/** The words of texts that are not what they seem, for places that cannot mark a word where it stands. */
import { OVERLAYS } from '../odd-characters.ts';
import { EVERYDAY, toSegments } from './to-segments.ts';

/** `why` names what the word resembles. Both hold text of foreign origin, and are not inert. */
export interface OddWord {
  word: string;
  why: string;
}

const WORD = /[^ \n]+/g;
const OVERLAY = new RegExp(`[${OVERLAYS}]`, 'gv');

/**
 * Look-alike letters and signs, mixed alphabets and digits, letters that are drawn over, and what is not in Unicode form
 * NFC. Each word once, in the order of the texts. Other characters that cannot be seen are not among them: terminals, mails
 * and chat show those by number.
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
