/** Characters that draw nothing, look like a plain space, or steer a terminal or the direction of a line. */
export const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
/** More marks on one letter than any language writes would run over the lines above and below. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}/gu;

/** A text of somebody unknown on a terminal: what is invisible, or would steer the terminal, stands there by its number. */
export function sayVisibly(text: string): string {
  return text.replace(UNSEEN, byNumber).replace(STACKED_MARKS, byNumber);
}

function byNumber(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
