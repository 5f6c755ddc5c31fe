import { invalidFields } from '../gate/kernel/invalid-fields.ts';
import { LABEL_RULE, toLabel } from '../gate/kernel/label.ts';

/**
 * What a person is called, in one spelling.
 *
 * @throws GateError `invalid_fields` with `/name`
 */
export function checkName(text: string): string {
  const name = toLabel(text);
  if (name === undefined) throw invalidFields({ path: '/name', message: LABEL_RULE });
  return name;
}
