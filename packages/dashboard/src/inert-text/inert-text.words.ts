/** Texts around a text that others wrote. */
import { formatBytes, formatCount } from '../ui/format.ts';

export const size = (characters: number, bytes: number) =>
  `${formatCount(characters)} ${characters === 1 ? 'character' : 'characters'}, ${formatBytes(bytes)}`;
export const notShown = (characters: number, size: string) =>
  `${formatCount(characters)} more ${characters === 1 ? 'character' : 'characters'} not shown (${size} in total).`;
export const showNext = (characters: number) => `Show the next ${formatCount(characters)}`;
export const showRest = 'Show the rest';
export const lineBreak = 'line break';

export const invalidAddress = 'Address: ';
export const host = 'Host: ';
export const moreAddresses = (count: number) =>
  count === 1 ? 'and 1 more address' : `and ${formatCount(count)} more addresses`;
export const oddity = {
  invalid: 'browsers can’t open it',
  userInfo: 'the part before @ is not the host',
  otherLetters: 'non-ASCII name, shown in ASCII',
  otherForm: 'written in a different form',
  backslashes: 'written with backslashes',
} as const;
