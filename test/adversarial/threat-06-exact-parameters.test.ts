/** Threat 6: a permit is for exactly the action and parameters approved, by RFC 8785; whatever two readers could see differently is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalidPermit, expectRefused, permitOf } from './doors.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';

const ACTION = 'payments.refund';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  const rules = [{ name: 'free', match: { action: 'payments.*' }, effect: 'allow' }];
  const body = { name: 'p', default: { approvers: ['role:approver'] }, rules };
  const put = await t.call('PUT', `/v1/projects/${t.projectId}/policies`, { key: t.owner.token, body });
  expect(put.status).toBe(200);
});
afterAll(() => t.close());

/** JSON as text, since its spelling is what is tried. */
function create(door: 'A' | 'B', params: string): Promise<Answer> {
  return door === 'A'
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
  door: 'A' | 'B',
  token: string,
  params: string,
  action = ACTION,
  consume = false,
): Promise<Answer> {
  const [path, tokenName, paramsName] =
    door === 'A'
      ? ['/api/intents/permit/verify', 'permit_token', 'context']
      : ['/v1/permits/validate', 'token', 'params'];
  const body = `{"${tokenName}":"${token}","action":${JSON.stringify(action)},"${paramsName}":${params},"consume":${consume}}`;
  return t.call('POST', path, { key: t.first.verifier_key, body });
}

describe.each(['A', 'B'] as const)('surface %s', (door) => {
  describe('the same parameters, spelled otherwise, pass', () => {
    it.each([
      ['members in another order', '{"a":1,"b":{"c":2,"d":[3,4]}}', '{"b":{"d":[3,4],"c":2},"a":1}'],
      [
        'members whose order by code unit is not that by code point',
        '{"\\uffee":1,"\\ud83d\\ude00":2}',
        '{"😀":2,"\uffee":1}',
      ],
      ['white space', '{"a":[1,2]}', ' {\n\t"a" : [ 1 ,\r\n2 ] } '],
      ['1 and 1.0', '{"a":1}', '{"a":1.0}'],
      ['1 and 1e0', '{"a":1}', '{"a":1e0}'],
      ['100 and 1E2', '{"a":100}', '{"a":1E2}'],
      ['0.5 and 5e-1', '{"a":0.5}', '{"a":5e-1}'],
      ['0 and -0', '{"a":0}', '{"a":-0}'],
      ['0 and -0.0e5', '{"a":0}', '{"a":-0.0e5}'],
      ['the greatest integer', '{"a":9007199254740991}', '{"a":9007199254740991.0}'],
      ['a letter and its escape', '{"a":"A"}', '{"a":"\\u0041"}'],
      ['a letter and its escape in a name', '{"a":1}', '{"\\u0061":1}'],
      ['a slash and its escape', '{"a":"/"}', '{"a":"\\/"}'],
      ['a tab and its escape', '{"a":"\\t"}', '{"a":"\\u0009"}'],
      ['an accent and its escape in either case', '{"a":"\\u00E9"}', '{"a":"é"}'],
      ['a surrogate pair and its character', '{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'],
      ['no parameters', '{}', '{ }'],
    ])('%s', async (_name, approved, shown) => {
      const token = permitOf(await create(door, approved));
      const answer = await t.expectUnchanged(() => verify(door, token, shown));
      expect(answer.body, answer.text).toMatchObject({
        valid: true,
        bound: true,
        authorizes: true,
        consumed: false,
      });
      const used = await verify(door, token, shown, ACTION, true);
      expect(used.body).toMatchObject({ authorizes: true, consumed: true });
    });
  });

  describe('other parameters do not', () => {
    it.each([
      ['one digit', '{"amount":500}', '{"amount":501}'],
      ['one byte of a text', '{"to":"acct_1"}', '{"to":"acct_2"}'],
      ['one byte of a name', '{"to":"x"}', '{"tp":"x"}'],
      ['the case of a letter', '{"to":"a"}', '{"to":"A"}'],
      ['a space behind', '{"to":"a"}', '{"to":"a "}'],
      ['a zero-width space', '{"to":"a"}', '{"to":"a\u200b"}'],
      ['a direction mark', '{"to":"a"}', '{"to":"\u202ea"}'],
      ['a Cyrillic а', '{"to":"a"}', '{"to":"\u0430"}'],
      ['NFC and NFD', '{"to":"\u00e9"}', '{"to":"e\u0301"}'],
      ['NFC and NFD in a name', '{"\u00e9":1}', '{"e\u0301":1}'],
      ['the Ångström sign and its letter', '{"to":"\u212b"}', '{"to":"\u00c5"}'],
      ['a text and a number', '{"a":1}', '{"a":"1"}'],
      ['a text and a boolean', '{"a":true}', '{"a":"true"}'],
      ['null and absent', '{"a":1,"b":null}', '{"a":1}'],
      ['absent and null', '{"a":1}', '{"a":1,"b":null}'],
      ['null and an empty text', '{"a":null}', '{"a":""}'],
      ['null and 0', '{"a":null}', '{"a":0}'],
      ['a list and an object', '{"a":[]}', '{"a":{}}'],
      ['a list of one and the one', '{"a":[1]}', '{"a":1}'],
      ['elements in another order', '{"a":[1,2]}', '{"a":[2,1]}'],
      ['a member more', '{"a":1}', '{"a":1,"max":9}'],
      ['a member less', '{"a":1,"max":9}', '{"a":1}'],
      ['a member moved inside', '{"a":1,"b":{}}', '{"b":{"a":1}}'],
      ['none', '{"a":1}', '{}'],
      ['a name that every object has', '{}', '{"constructor":1}'],
      ['the least fraction', '{"a":0.1}', '{"a":0.10000000000000002}'],
      ['an escape inside an escape', '{"a":"\\\\u0041"}', '{"a":"\\u0041"}'],
    ])('%s', async (_name, approved, shown) => {
      const token = permitOf(await create(door, approved));
      for (const consume of [false, true]) {
        const answer = await t.expectUnchanged(() => verify(door, token, shown, ACTION, consume));
        expectInvalidPermit(door, answer, 'params_mismatch');
      }
      expect((await verify(door, token, approved)).status).toBe(200);
    });
  });

  describe('what two readers could see differently is refused, when asked for and when shown', () => {
    it.each([
      ['2^53 + 1', '{"a":9007199254740993}'],
      ['2^53', '{"a":9007199254740992}'],
      ['-2^53', '{"a":-9007199254740992}'],
      ['2^53 + 1 with a fraction of nothing', '{"a":9007199254740993.0}'],
      ['2^53 + 1 with an exponent', '{"a":9.007199254740993e15}'],
      ['a great number as an integer', '{"a":1e300}'],
      ['more than a double holds', '{"a":1e400}'],
      ['less than a double holds', '{"a":-1e400}'],
      ['nearer to zero than a double', '{"a":1e-400}'],
      ['a name twice', '{"a":1,"a":1}'],
      ['a name twice with other values', '{"amount":1,"amount":1000000}'],
      ['a name twice, once escaped', '{"a":1,"\\u0061":2}'],
      ['a name twice, deep inside', '{"x":[{"y":{"a":1,"b":2,"a":3}}]}'],
      ['__proto__', '{"__proto__":{"amount":1}}'],
      ['__proto__ escaped', '{"\\u005f_proto__":{"amount":1}}'],
      ['a lone surrogate', '{"a":"\\ud83d"}'],
      ['a lone low surrogate in a name', '{"\\ude00":1}'],
      ['NaN', '{"a":NaN}'],
      ['Infinity', '{"a":-Infinity}'],
      ['hexadecimal', '{"a":0x10}'],
      ['a leading zero', '{"a":010}'],
      ['a leading plus', '{"a":+1}'],
      ['a comma too many', '{"a":1,}'],
      ['a comment', '{"a":1/*2*/}'],
      ['single quotes', "{'a':1}"],
      ['a raw control character', '{"a":"\u0001"}'],
    ])('%s', async (_name, params) => {
      expectRefused(door, await t.expectUnchanged(() => create(door, params)), 400, 'INVALID_FIELDS');
      const token = permitOf(await create(door, '{"a":1}'));
      const answer = await t.expectUnchanged(() => verify(door, token, params));
      expectRefused(door, answer, 400, 'INVALID_FIELDS');
    });

    it.each(['[]', '"a"', '1', 'true', 'null'])('%s for parameters', async (params) => {
      expectRefused(door, await t.expectUnchanged(() => create(door, params)), 400, 'INVALID_FIELDS');
      const token = permitOf(await create(door, '{}'));
      expectRefused(door, await t.expectUnchanged(() => verify(door, token, params)), 400, 'INVALID_FIELDS');
    });
  });

  it('another action does not pass, however near', async () => {
    const token = permitOf(await create(door, '{}'));
    for (const action of [
      'payments.refunds',
      'payments.Refund',
      'payments',
      'payments.refund.',
      'payments:refund',
      '',
      ' payments.refund',
      'payments.refund ',
      'payments.refund\n',
      'payments.refund\u0000',
      'p\u0430yments.refund',
      '*',
      'payments.*',
      'x'.repeat(100_000),
    ]) {
      for (const consume of [false, true]) {
        const answer = await t.expectUnchanged(() => verify(door, token, '{}', action, consume));
        expectInvalidPermit(door, answer, 'action_mismatch');
      }
    }
    for (const action of [1, null, true, ['payments.refund'], { name: 'payments.refund' }]) {
      const body = {
        action,
        consume: true,
        ...(door === 'A' ? { permit_token: token, context: {} } : { token, params: {} }),
      };
      const path = door === 'A' ? '/api/intents/permit/verify' : '/v1/permits/validate';
      const answer = await t.expectUnchanged(() => t.call('POST', path, { key: t.first.verifier_key, body }));
      expectRefused(door, answer, 400, 'INVALID_FIELDS', { fields: [{ path: '/action' }] });
    }
  });
});

it('the two surfaces hash alike: approved at one, used at the other', async () => {
  const token = permitOf(await create('A', '{"b":[1.0,"\\u00e9"],"a":{"z":-0}}'));
  expect((await verify('B', token, '{"a":{"z":0},"b":[1,"é"]}', ACTION, true)).body.consumed).toBe(true);
});
