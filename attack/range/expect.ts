/** Checks of responses. An unexpected response throws `Undefended`, with the exchange that shows it. */
import { isDeepStrictEqual } from 'node:util';
import { Undefended } from '../undefended.ts';
import type { Answer } from './http-client.ts';

/** Surface B uses surface A's codes in lower case, with these exceptions (contract §2). */
const ON_B: Readonly<Record<string, string>> = {
  INVALID_PERMIT: 'permit_invalid',
  MISSING_FIELDS: 'invalid_request',
  INVALID_FIELDS: 'invalid_request',
};

interface WireError {
  code?: unknown;
  reason?: unknown;
  required?: unknown;
  fields?: unknown;
}

function errorOf(answer: Answer): WireError {
  const { error } = answer.body;
  return typeof error === 'object' && error !== null ? error : {};
}

export function fail(why: string, answer?: Answer): never {
  throw new Undefended(why, answer?.exchange);
}

export function check(holds: unknown, why: string, answer?: Answer): asserts holds {
  if (!holds) fail(why, answer);
}

/**
 * Whether the expected members are present. Further members may be present too, but lists must have the same length.
 */
function includes(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected);
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected) && (actual as unknown[]).length !== expected.length) return false;
  return Object.entries(expected).every(([name, value]) =>
    includes((actual as Record<string, unknown>)[name], value),
  );
}

/** A code of surface A, as the given surface spells it. */
export function codeAt(surface: 'A' | 'B', codeOnA: string): string {
  return surface === 'A' ? codeOnA : (ON_B[codeOnA] ?? codeOnA.toLowerCase());
}

/** Expects a refusal with the surface's code. `extra` are further members of its body. */
export function expectRefused(
  surface: 'A' | 'B',
  answer: Answer,
  status: number,
  codeOnA: string,
  what: string,
  extra: Readonly<Record<string, unknown>> = {},
): void {
  const code = codeAt(surface, codeOnA);
  const error = errorOf(answer) as Record<string, unknown>;
  const asExpected = answer.status === status && error.code === code && includes(error, extra);
  if (asExpected) return;
  const detail = Object.entries(extra).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`);
  fail(
    `${what}: ${status} ${code}${detail.join('')} was expected; the answer was ${answer.status} ${String(error.code ?? '')}${error.reason === undefined ? '' : ` (${String(error.reason)})`}`,
    answer,
  );
}

/** Expects an invalid permit, for one of these reasons. */
export function expectInvalidPermit(
  surface: 'A' | 'B',
  answer: Answer,
  reasons: string | readonly string[],
  what: string,
): void {
  expectRefused(surface, answer, 400, 'INVALID_PERMIT', what);
  const { reason } = errorOf(answer);
  const expected = [reasons].flat();
  check(
    expected.includes(String(reason)),
    `${what}: refused, but as ${String(reason)} instead of ${expected.join(' or ')}`,
    answer,
  );
  check(!('valid' in answer.body), `${what}: the refusal speaks of validity`, answer);
}

export function expectStatus(answer: Answer, statuses: number | readonly number[], what: string): void {
  const expected = [statuses].flat();
  check(
    expected.includes(answer.status),
    `${what}: ${expected.join(' or ')} was expected; the answer was ${answer.status}`,
    answer,
  );
}

/** The response to a step that is not itself an attack. If the step fails, the case proves nothing. */
export function expectDone(answer: Answer, what: string): Answer {
  check(
    answer.status >= 200 && answer.status < 300,
    `the attack could not be set up: ${what} was answered with ${answer.status}`,
    answer,
  );
  return answer;
}

/** Expects two responses that a caller cannot tell apart, except by members that identify the request. */
export function expectAlike(one: Answer, other: Answer, what: string): void {
  const told = ({ status, body, headers }: Answer): unknown => {
    const { request_id: _own, ...error } = (body.error ?? {}) as Record<string, unknown>;
    // The level of a rate limit and the time do not belong to the response itself.
    const { date: _date, 'content-length': _length, ...names } = headers;
    return { status, error, names: Object.keys(names).toSorted() };
  };
  if (!isDeepStrictEqual(told(one), told(other)))
    fail(
      `${what}: the two can be told apart: ${JSON.stringify(told(one))} and ${JSON.stringify(told(other))}`,
      one,
    );
}

export function idOf(answer: Answer): string {
  const { id } = answer.body;
  check(typeof id === 'string', 'the attack could not be set up: no id in the answer', answer);
  return id;
}

function findPermit(answer: Answer): string | undefined {
  const { permit_token: onA, permit } = answer.body as { permit_token?: string; permit?: { token?: string } };
  return onA ?? permit?.token;
}

export function permitOf(answer: Answer): string {
  const token = findPermit(answer);
  check(token !== undefined, 'the attack could not be set up: no permit in the answer', answer);
  return token;
}
