/** What a case holds an answer against. Whatever is not as expected is `Undefended`, with the exchange that shows it. */
import { isDeepStrictEqual } from 'node:util';
import { Undefended } from '../undefended.ts';
import type { Answer } from './http-client.ts';

/** Surface B's codes are those of surface A in lower case, save these (contract §2). */
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

/** Whether the members that are expected are there; others may be. Lists are of one length. */
function includes(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return Object.is(actual, expected);
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected) && (actual as unknown[]).length !== expected.length) return false;
  return Object.entries(expected).every(([name, value]) =>
    includes((actual as Record<string, unknown>)[name], value),
  );
}

/** A code of surface A, as a door spells it. */
export function codeAt(surface: 'A' | 'B', codeOnA: string): string {
  return surface === 'A' ? codeOnA : (ON_B[codeOnA] ?? codeOnA.toLowerCase());
}

/** A refusal, as the door names it; `extra` are further members of its body. */
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

/** `do not run`, for one of these reasons. */
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

/** An answer to a step that is no attack; a case that cannot take it has shown nothing. */
export function expectDone(answer: Answer, what: string): Answer {
  check(
    answer.status >= 200 && answer.status < 300,
    `the attack could not be set up: ${what} was answered with ${answer.status}`,
    answer,
  );
  return answer;
}

/** Two answers that must not be told apart, but for what names the request itself. */
export function expectAlike(one: Answer, other: Answer, what: string): void {
  const told = ({ status, body, headers }: Answer): unknown => {
    const { request_id: _own, ...error } = (body.error ?? {}) as Record<string, unknown>;
    // Where a bucket or a minute stands is not the answer's own.
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
