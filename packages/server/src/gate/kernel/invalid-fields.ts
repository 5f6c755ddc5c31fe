import { type FieldProblem, GateError } from './errors.ts';

/** The refusal of a request with these problems, all at once; `false` stands for a field that is right. */
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
