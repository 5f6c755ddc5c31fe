/** The part of contract §2's table that the model needs. */

const STATUS: Record<string, number> = {
  forbidden: 403,
  missing_fields: 400,
  intent_not_found: 404,
  intent_expired: 410,
  intent_already_resolved: 409,
  already_voted: 409,
  approver_not_found: 422,
  policy_violation: 403,
  agent_paused: 403,
  agent_revoked: 403,
  project_stopped: 403,
  permit_invalid: 400,
  conflict: 409,
};

/** A refusal in the model's terms: the code in surface B's spelling, and the reason for a refused permit. */
export function refusalOf(
  surface: 'a' | 'b',
  answer: { status: number; body: Record<string, unknown> },
): string {
  const error = answer.body.error as Record<string, unknown> | undefined;
  if (!error) return `no error: ${answer.status}`;
  const code = toCode(surface, String(error.code));
  if (STATUS[code] !== answer.status) return `${code} with the status ${answer.status}`;
  return code === 'permit_invalid' ? `${code}:${String(error.reason)}` : code;
}

function toCode(surface: 'a' | 'b', code: string): string {
  if (surface === 'b') return code === 'invalid_request' ? 'missing_fields' : code;
  if (code === 'INVALID_PERMIT') return 'permit_invalid';
  return code === code.toUpperCase() ? code.toLowerCase() : `not surface A's: ${code}`;
}
