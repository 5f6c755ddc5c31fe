import { ODD_CHARACTERS } from '@permitry/protocol';
import { invalidFields } from './invalid-fields.ts';

/** Characters that could make a label deceptive. */
const ODD = new RegExp(ODD_CHARACTERS, 'v');
const LABEL_LENGTH = 100;

/**
 * A display name in NFC without surrounding space: 1 to 100 characters, all of them visible. Undefined when the text is
 * not a display name.
 */
export function toLabel(text: string): string | undefined {
  const label = text.normalize('NFC').trim();
  if (label === '' || [...label].length > LABEL_LENGTH || ODD.test(label)) return undefined;
  return label;
}

export const LABEL_RULE = 'Must be 1 to 100 visible characters.';

/**
 * The name of a person or thing, in one spelling.
 *
 * @throws GateError `invalid_fields` with `/name`
 */
export function checkName(text: string): string {
  const name = toLabel(text);
  if (name === undefined) throw invalidFields({ path: '/name', message: LABEL_RULE });
  return name;
}
