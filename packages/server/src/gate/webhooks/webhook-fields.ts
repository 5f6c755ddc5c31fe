import { invalidFields } from '../kernel/invalid-fields.ts';
import { LABEL_RULE, toLabel } from '../kernel/label.ts';
import { findTypeProblems } from './wanted-types.ts';

/** @throws GateError `invalid_fields` */
export function checkTypes(eventTypes: readonly string[] | null): readonly string[] | null {
  if (eventTypes === null) return null;
  if (eventTypes.length === 0)
    throw invalidFields({ path: '/event_types', message: 'Name at least one, or omit it for all.' });
  const problems = findTypeProblems(eventTypes);
  if (problems.length > 0) throw invalidFields(...problems);
  return [...new Set(eventTypes)];
}

/** @throws GateError `invalid_fields` */
export function checkDescription(description: string | null): string | null {
  if (description === null) return null;
  const label = toLabel(description);
  if (label === undefined) throw invalidFields({ path: '/description', message: LABEL_RULE });
  return label;
}
