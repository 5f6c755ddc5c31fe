import { type FieldProblem, GateError } from './errors.ts';

/** One refusal for all these problems of a request. Pass `false` for a field that is right. */
export function invalidFields(...checks: readonly (FieldProblem | false)[]): GateError<'invalid_fields'> {
  const fields = checks.filter((check) => check !== false);
  const sentences = fields.map(({ path, message }) =>
    asSentence(path === '' ? message : `${path.slice(1)}: ${message}`),
  );
  return new GateError('invalid_fields', sentences.join(' '), { fields });
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
