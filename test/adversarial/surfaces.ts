/** Both surfaces under one set of words, so that each attack is tried at both doors. */
import { expect } from 'vitest';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import type { Answer, Arena } from './open-arena.ts';

export interface Surface {
  name: 'A' | 'B';
  create(key: string, action: string, params?: object, more?: object): Promise<Answer>;
  read(key: string, intentId: string): Promise<Answer>;
  /** With a credential of a program, or by a person in a session of their own. */
  approve(by: string | Pick<Person, 'userId'>, intentId: string): Promise<Answer>;
  deny(key: string, intentId: string, reason?: string): Promise<Answer>;
  verify(key: string, presented: Presented, headers?: Record<string, string>): Promise<Answer>;
}

/** What is shown to the gate before an action runs; a member left out is not sent. */
interface Presented {
  token: string;
  action?: string;
  params?: object;
  consume?: boolean;
}

export function surfacesOf({ call, gate }: Pick<Arena, 'call' | 'gate'>): readonly [Surface, Surface] {
  const sessions = new Map<string, ReturnType<typeof signedIn>>();
  async function voteOf(by: string | Pick<Person, 'userId'>, id: string) {
    if (typeof by === 'string') return { as: { key: by }, hash: {} };
    const session = sessions.get(by.userId) ?? signedIn(gate, by.userId);
    sessions.set(by.userId, session);
    return { as: { headers: (await session).headers }, hash: await asShown(gate, id) };
  }
  const a: Surface = {
    name: 'A',
    create: (key, action, context = {}, more = {}) =>
      call('POST', '/api/intents', { key, body: { action, source_type: 'ai_agent', context, ...more } }),
    read: (key, id) => call('GET', `/api/intents/${id}`, { key }),
    async approve(by, id) {
      const { as, hash } = await voteOf(by, id);
      return call('PATCH', `/api/intents/${id}`, { ...as, body: { decision: 'approve', ...hash } });
    },
    deny: (key, id, reason) =>
      call('PATCH', `/api/intents/${id}`, { key, body: { decision: 'deny', reason } }),
    verify: (key, { token, params, ...rest }, headers = {}) =>
      call('POST', '/api/intents/permit/verify', {
        key,
        headers,
        body: { permit_token: token, ...(params === undefined ? {} : { context: params }), ...rest },
      }),
  };
  const b: Surface = {
    name: 'B',
    create: (key, action, params = {}, more = {}) =>
      call('POST', '/v1/intents', { key, body: { action, params, ...more } }),
    read: (key, id) => call('GET', `/v1/intents/${id}`, { key }),
    async approve(by, id) {
      const { as, hash } = await voteOf(by, id);
      return call('POST', `/v1/intents/${id}/approve`, { ...as, body: hash });
    },
    deny: (key, id, reason) => call('POST', `/v1/intents/${id}/deny`, { key, body: { reason } }),
    verify: (key, presented, headers = {}) =>
      call('POST', '/v1/permits/validate', { key, headers, body: presented }),
  };
  return [a, b];
}

/** Surface B's codes are those of surface A in lower case, save these (contract §2). */
const ON_B: Readonly<Record<string, string>> = {
  INVALID_PERMIT: 'permit_invalid',
  MISSING_FIELDS: 'invalid_request',
  INVALID_FIELDS: 'invalid_request',
};

/** A refusal as the door names it; `extra` are further members of its body. */
export function expectRefused(
  surface: 'A' | 'B',
  answer: Answer,
  status: number,
  codeOnA: string,
  extra: Record<string, unknown> = {},
): void {
  const code = surface === 'A' ? codeOnA : (ON_B[codeOnA] ?? codeOnA.toLowerCase());
  expect({ status: answer.status, error: answer.body.error }, answer.text).toMatchObject({
    status,
    error: { code, ...extra },
  });
}

/** `do not run`, for this reason. */
export function expectInvalidPermit(surface: 'A' | 'B', answer: Answer, reason: string): void {
  expectRefused(surface, answer, 400, 'INVALID_PERMIT', { reason });
}

/** The door a path leads to. */
export function surfaceOf(path: string): 'A' | 'B' {
  return path.startsWith('/api') ? 'A' : 'B';
}

export function permitOf(answer: Answer): string {
  const { permit_token: onA, permit } = answer.body as { permit_token?: string; permit?: { token?: string } };
  const token = onA ?? permit?.token;
  if (token === undefined) throw new Error(`no permit in: ${answer.text}`);
  return token;
}

export function idOf(answer: Answer): string {
  const { id } = answer.body;
  if (typeof id !== 'string') throw new Error(`no id in: ${answer.text}`);
  return id;
}
