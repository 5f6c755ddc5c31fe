/** Both surfaces as the attacks meet them, for tests outside the catalogue. A person approves in a session. */
import { expect } from 'vitest';
import { codeAt } from '../../attack/range/expect.ts';
import { type Surface as Door, surfacesOf as doorsOf } from '../../attack/range/surfaces.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import type { Answer, Arena } from './open-arena.ts';

export { surfaceOf } from '../../attack/range/surfaces.ts';

export interface Surface extends Omit<Door<Answer>, 'approve'> {
  /** Approves with a program's credential, or as a person in a new session. */
  approve(by: string | Pick<Person, 'userId'>, intentId: string): Promise<Answer>;
}

export function surfacesOf({ call, gate }: Pick<Arena, 'call' | 'gate'>): readonly [Surface, Surface] {
  const byHand = (door: Door<Answer>): Surface => ({
    ...door,
    async approve(by, id) {
      if (typeof by === 'string') return door.approve(by, id);
      const hash = await asShown(gate, id);
      return door.name === 'A'
        ? call('PATCH', `/api/intents/${id}`, { present: by, body: { decision: 'approve', ...hash } })
        : call('POST', `/v1/intents/${id}/approve`, { present: by, body: hash });
    },
  });
  const [a, b] = doorsOf<Answer>(call);
  return [byHand(a), byHand(b)];
}

/** Expects a refusal with the surface's code. `extra` are further members of its body. */
export function expectRefused(
  surface: 'A' | 'B',
  answer: Answer,
  status: number,
  codeOnA: string,
  extra: Record<string, unknown> = {},
): void {
  expect({ status: answer.status, error: answer.body.error }, answer.text).toMatchObject({
    status,
    error: { code: codeAt(surface, codeOnA), ...extra },
  });
}

/** Expects an invalid permit, for this reason. */
export function expectInvalidPermit(surface: 'A' | 'B', answer: Answer, reason: string): void {
  expectRefused(surface, answer, 400, 'INVALID_PERMIT', { reason });
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
