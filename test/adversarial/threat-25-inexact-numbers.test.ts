/** Threat 25: a number with digits that a double does not hold is refused at every door, so that nobody approves another one. */
import { parseStrictJson } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXACT_NUMBERS, INEXACT_NUMBERS } from '../../attack/tables/parameter-spellings.ts';
import { signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { expectOfEach } from './expect-of-each.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused, permitOf, surfaceOf } from './surfaces.ts';

let t: Arena;
let permit: string;
let session: { headers: Record<string, string> };
beforeAll(async () => {
  t = await openArena({ mode: 'test' });
  const rules = [{ name: 'free', match: { action: 'payments.*' }, effect: 'allow' }];
  const body = { name: 'p', default: { approvers: ['role:approver'] }, rules };
  const path = `/v1/projects/${t.projectId}/policies`;
  expect((await t.call('PUT', path, { key: t.first.secret_key, body })).status).toBe(200);
  const asked = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'payments.refund', params: { amount: 100 } },
  });
  permit = permitOf(asked);
  session = await signedIn(t.gate, t.owner.userId);
});
afterAll(() => t.close());

/** Each door that takes JSON: the body with a number in it, and where the number stands. */
const DOORS: readonly (readonly [name: string, path: string, body: (n: string) => string, at: string])[] = [
  [
    'surface A',
    '/api/intents',
    (n) => `{"action":"payments.refund","context":{"amount":${n}}}`,
    '/context/amount',
  ],
  [
    'verification at A',
    '/api/intents/permit/verify',
    (n) => `{"permit_token":"${permit}","action":"payments.refund","context":{"amount":${n}},"consume":true}`,
    '/context/amount',
  ],
  [
    'the gateway',
    '/api/mcp-gateway',
    (n) => `{"tool":"payments.refund","arguments":{"order_id":"o","amount":${n}}}`,
    '/arguments/amount',
  ],
  ['surface B', '/v1/intents', (n) => `{"action":"payments.refund","params":{"a":[0,${n}]}}`, '/params/a/1'],
  [
    'metadata at B',
    '/v1/intents',
    (n) => `{"action":"payments.refund","params":{},"metadata":{"amount":${n}}}`,
    '/metadata/amount',
  ],
  [
    'validation at B',
    '/v1/permits/validate',
    (n) => `{"token":"${permit}","action":"payments.refund","params":{"amount":${n}},"consume":true}`,
    '/params/amount',
  ],
  ['the console', '/console/account/totp/confirm', (n) => `{"code":${n}}`, '/code'],
  [
    'agents that speak MCP',
    '/mcp',
    (n) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payments.refund","arguments":{"order_id":"o","amount":${n}}}}`,
    '/params/arguments/amount',
  ],
];

function send(path: string, body: string): Promise<Answer> {
  if (path.startsWith('/console')) return t.call('POST', path, { headers: session.headers, body });
  const key = /verify|validate/.test(path) ? t.first.verifier_key : t.first.agent_key;
  return t.call('POST', path, { key, body, headers: { accept: 'application/json, text/event-stream' } });
}

describe.each(DOORS)('%s', (_name, path, bodyWith, at) => {
  it('refuses inexact numbers, says where, and changes nothing', () =>
    expectOfEach(
      INEXACT_NUMBERS.map((row) => [row] as const),
      async (number) => {
        const answer = await t.expectUnchanged(() => send(path, bodyWith(number)));
        expectRefused(surfaceOf(path), answer, 400, 'INVALID_FIELDS', { fields: [{ path: at }] });
      },
    ));
});

describe('a policy', () => {
  it('with an inexact number is refused', () =>
    expectOfEach(
      INEXACT_NUMBERS.map((row) => [row] as const),
      async (number) => {
        const body = `{"name":"p","default":{"approvers":["role:approver"],"min_approvals":${number}},"rules":[]}`;
        const path = `/v1/projects/${t.projectId}/policies`;
        const answer = await t.expectUnchanged(() => t.call('PUT', path, { key: t.first.secret_key, body }));
        expectRefused('B', answer, 400, 'INVALID_FIELDS', { fields: [{ path: '/default/min_approvals' }] });
      },
    ));
});

describe('a number that a double holds', () => {
  it('is what the permit is for, however it is spelled', () =>
    expectOfEach(
      EXACT_NUMBERS.map((row) => [row] as const),
      async (number) => {
        const create = (spelling: string) =>
          t.call('POST', '/v1/intents', {
            key: t.first.agent_key,
            body: `{"action":"payments.refund","params":{"amount":${spelling}}}`,
          });
        const token = permitOf(await create(number));
        const shortest = String(parseStrictJson(new TextEncoder().encode(number)));
        const answer = await t.call('POST', '/v1/permits/validate', {
          key: t.first.verifier_key,
          body: `{"token":"${token}","action":"payments.refund","params":{"amount":${shortest}}}`,
        });
        expect(answer.body, answer.text).toMatchObject({ valid: true, bound: true });
      },
    ));
});
