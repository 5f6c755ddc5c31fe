import { ODD_CHARACTERS } from '@permitry/protocol';

export const ODD = new RegExp(ODD_CHARACTERS, 'gv');
/** More marks on one letter than any language writes would run over the lines above and below. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}/gu;

/** A text of somebody unknown on a terminal: what is invisible, or would steer the terminal, stands there by its number. */
export function sayVisibly(text: string): string {
  return text.replace(ODD, byNumber).replace(STACKED_MARKS, byNumber);
}

function byNumber(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
