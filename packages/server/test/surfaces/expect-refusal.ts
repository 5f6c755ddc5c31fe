import { expect } from 'vitest';

/** An error body exactly as in contract §2, without further members inside `error` or beside it. */
export function expectRefusal(
  answer: { status: number; body: Record<string, unknown>; headers: Record<string, unknown> },
  status: number,
  code: string,
  extra: Record<string, unknown> = {},
): void {
  expect(answer.body).toEqual({
    error: {
      code,
      message: expect.stringMatching(/\S/),
      request_id: answer.headers['x-request-id'],
      ...extra,
    },
  });
  expect(answer.status).toBe(status);
}

/** The `fields` of a refusal, by their paths, in any order. */
export function expectFields(
  answer: { status: number; body: Record<string, unknown>; headers: Record<string, unknown> },
  code: string,
  ...paths: readonly string[]
): void {
  expectRefusal(answer, 400, code, { fields: expect.any(Array) });
  const { fields } = answer.body.error as { fields: { path: string; message: string }[] };
  expect(fields.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  for (const field of fields)
    expect(field).toEqual({ path: field.path, message: expect.stringMatching(/\S/) });
}

export const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const HASH = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
export const JWS = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);

export function anId(prefix: string) {
  return expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{26}$`));
}

/** `receipt_v2`, with every member of contract §5. */
export function aReceipt(members: Record<string, unknown> = {}) {
  return {
    receipt_version: 2,
    receipt_id: anId('rct'),
    intent_id: anId('int'),
    intent_hash: HASH,
    action: expect.any(String),
    params_hash: HASH,
    policy_hash: HASH,
    proof_tier: expect.any(String),
    proof_tier_achieved: expect.any(String),
    approved_by: expect.any(String),
    approved_at: INSTANT,
    issued_at: INSTANT,
    receipt_expires_at: INSTANT,
    kid: expect.stringMatching(/^[\w-]{43}$/),
    jws: JWS,
    revocation_status: 'active',
    ...members,
  };
}
