import { ODD_CHARACTERS } from '@permitry/protocol';

/** These characters could make a label deceptive. */
const ODD = new RegExp(ODD_CHARACTERS, 'v');
const LABEL_LENGTH = 100;

/**
 * A display name in NFC without surrounding space: 1 to 100 characters, all of them visible. Undefined when the text is
 * not one.
 */
export function toLabel(text: string): string | undefined {
  const label = text.normalize('NFC').trim();
  if (label === '' || [...label].length > LABEL_LENGTH || ODD.test(label)) return undefined;
  return label;
}

export const LABEL_RULE = 'Must be 1 to 100 visible characters.';
