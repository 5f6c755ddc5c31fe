/** Characters that are invisible, turn the direction of text or break the line: a label made of them can lie. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const LABEL_LENGTH = 100;

/**
 * A name people read, in NFC and without space around it: 1 to 100 characters, all of them visible. Undefined when
 * the text is not one.
 */
export function toLabel(text: string): string | undefined {
  const label = text.normalize('NFC').trim();
  if (label === '' || [...label].length > LABEL_LENGTH || UNSEEN.test(label)) return undefined;
  return label;
}

export const LABEL_RULE = 'Must be 1 to 100 visible characters.';
