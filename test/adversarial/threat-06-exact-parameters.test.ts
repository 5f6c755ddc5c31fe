/** Threat 6: a permit is for exactly the action and parameters approved, by RFC 8785; whatever two readers could see differently is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AMBIGUOUS_PARAMETERS,
  OTHER_ACTIONS,
  OTHER_PARAMETERS,
  SAME_PARAMETERS,
} from '../../attack/tables/parameter-spellings.ts';
import { expectOfEach } from './expect-of-each.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  const rules = [{ name: 'free', match: { action: 'payments.*' }, effect: 'allow' }];
  const body = { name: 'p', default: { approvers: ['role:approver'] }, rules };
  const put = await t.call('PUT', `/v1/projects/${t.projectId}/policies`, { present: t.owner, body });
  expect(put.status).toBe(200);
});
afterAll(() => t.close());

/** JSON as text, since its spelling is what is tried. */
function create(surface: 'A' | 'B', params: string): Promise<Answer> {
  return surface === 'A'
    ? t.call('POST', '/api/intents', {
        key: t.first.agent_key,
        body: `{"action":"${ACTION}","source_type":"ai_agent","context":${params}}`,
      })
    : t.call('POST', '/v1/intents', {
        key: t.first.agent_key,
        body: `{"action":"${ACTION}","params":${params}}`,
      });
}

function verify(
  surface: 'A' | 'B',
  token: string,
  params: string,
  action = ACTION,
  consume = false,
): Promise<Answer> {
  const [path, tokenName, paramsName] =
    surface === 'A'
      ? ['/api/intents/permit/verify', 'permit_token', 'context']
      : ['/v1/permits/validate', 'token', 'params'];
  const body = `{"${tokenName}":"${token}","action":${JSON.stringify(action)},"${paramsName}":${params},"consume":${consume}}`;
  return t.call('POST', path, { key: t.first.verifier_key, body });
}

describe.each(['A', 'B'] as const)('surface %s', (surface) => {
  it('the same parameters, spelled otherwise, pass', () =>
    expectOfEach(SAME_PARAMETERS, async (_name, approved, shown) => {
      const token = permitOf(await create(surface, approved));
      const answer = await t.expectUnchanged(() => verify(surface, token, shown));
      expect(answer.body, answer.text).toMatchObject({
        valid: true,
        bound: true,
        authorizes: true,
        consumed: false,
      });
      const used = await verify(surface, token, shown, ACTION, true);
      expect(used.body).toMatchObject({ authorizes: true, consumed: true });
    }));

  it('other parameters do not pass', () =>
    expectOfEach(OTHER_PARAMETERS, async (_name, approved, shown) => {
      const token = permitOf(await create(surface, approved));
      for (const consume of [false, true]) {
        const answer = await t.expectUnchanged(() => verify(surface, token, shown, ACTION, consume));
        expectInvalidPermit(surface, answer, 'params_mismatch');
      }
      expect((await verify(surface, token, approved)).status).toBe(200);
    }));

  it('what two readers could see differently is refused, when asked for and when shown', () =>
    expectOfEach(AMBIGUOUS_PARAMETERS, async (_name, params) => {
      expectRefused(surface, await t.expectUnchanged(() => create(surface, params)), 400, 'INVALID_FIELDS');
      const token = permitOf(await create(surface, '{"a":1}'));
      const answer = await t.expectUnchanged(() => verify(surface, token, params));
      expectRefused(surface, answer, 400, 'INVALID_FIELDS');
    }));

  it('parameters that are no object are refused', () =>
    expectOfEach(
      ['[]', '"a"', '1', 'true', 'null'].map((row) => [row] as const),
      async (params) => {
        expectRefused(surface, await t.expectUnchanged(() => create(surface, params)), 400, 'INVALID_FIELDS');
        const token = permitOf(await create(surface, '{}'));
        expectRefused(
          surface,
          await t.expectUnchanged(() => verify(surface, token, params)),
          400,
          'INVALID_FIELDS',
        );
      },
    ));

  it('another action does not pass, however near', async () => {
    const token = permitOf(await create(surface, '{}'));
    for (const action of [...OTHER_ACTIONS, 'not an action!', 'a'.repeat(129)]) {
      for (const consume of [false, true]) {
        const answer = await t.expectUnchanged(() => verify(surface, token, '{}', action, consume));
        expectInvalidPermit(surface, answer, 'action_mismatch');
      }
    }
    for (const action of [1, null, true, ['payments.refund'], { name: 'payments.refund' }]) {
      const body = {
        action,
        consume: true,
        ...(surface === 'A' ? { permit_token: token, context: {} } : { token, params: {} }),
      };
      const path = surface === 'A' ? '/api/intents/permit/verify' : '/v1/permits/validate';
      const answer = await t.expectUnchanged(() => t.call('POST', path, { key: t.first.verifier_key, body }));
      expectRefused(surface, answer, 400, 'INVALID_FIELDS', { fields: [{ path: '/action' }] });
    }
  });
});

it('the two surfaces hash alike: approved at one, used at the other', async () => {
  const token = permitOf(await create('A', '{"b":[1.0,"\\u00e9"],"a":{"z":-0}}'));
  expect((await verify('B', token, '{"a":{"z":0},"b":[1,"é"]}', ACTION, true)).body.consumed).toBe(true);
});
