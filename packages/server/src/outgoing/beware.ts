import { findOddWords } from '@permitry/protocol/inert-text';
import { toInertLine } from './inert-text.ts';
import type { Fact } from './mail/compose-mail.ts';

const MOST_NAMED = 3;
const LONGEST = 300;

/**
 * One line that warns of words in a message that are not what they seem. Empty when the message has none.
 *
 * @param texts The texts that the message shows, made inert.
 */
export function beware(texts: readonly string[]): Fact[] {
  const odd = findOddWords(texts);
  if (odd.length === 0) return [];
  const named = odd.slice(0, MOST_NAMED).map(({ word, why }) => toInertLine(`“${word}”: ${why}`, LONGEST));
  const more = odd.length > MOST_NAMED ? [`${odd.length - MOST_NAMED} more`] : [];
  return [{ name: 'Beware', value: [...named, ...more].join(' · ') }];
}
