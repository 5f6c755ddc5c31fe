/** Bodies and paths that are almost right. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { ROUTE_ACCESS } from '../../src/http/admission/route-scopes.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http-shared/open-test-app.ts';
import { approvedIntent, REFUND } from './approved-intent.ts';

let t: TestApp;
let key: string;
/** For the pages' own routes, and for proof, which know no keys. */
let owner: SignedIn;
beforeEach(async () => {
  t = await openTestApp();
  key = t.first.secret_key;
  owner = await signedIn(t.gate, t.owner.userId);
});
afterEach(() => t.close());

/** Introspection takes a form, and refuses JSON by its type: packages/server/test/introspection. */
const WITH_BODY = Object.keys(ROUTE_ACCESS).filter(
  (route) => /^(POST|PUT|PATCH) /.test(route) && !route.endsWith('/introspect'),
);

it.each(WITH_BODY)('%s refuses the body null', async (route) => {
  const [method = '', path = ''] = route.split(' ');
  const url = path.replace('/projects/:id', `/projects/${t.projectId}`).replace(/:\w+/g, 'x');
  const before = await t.events(t.projectId);
  const ofPerson = path.startsWith('/console/') || path === '/api/verify/proof';
  const credential = ofPerson ? { headers: owner.headers } : { key };
  const { status, body } = await t.call(method, url, { ...credential, body: 'null' });
  expect(status).toBe(400);
  const code = path.startsWith('/api/') ? 'INVALID_FIELDS' : 'invalid_request';
  expect(body).toMatchObject({ error: { code, fields: expect.any(Array) } });
  expect(await t.events(t.projectId)).toEqual(before);
});

describe.each([
  ['api', 'INVALID_PROOF', 'INVALID_PERMIT'],
  ['v1', 'invalid_proof', 'permit_invalid'],
])('on /%s', (surface, invalidProof, invalidPermit) => {
  it('a proof session there is not is no proof, and changes nothing', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, REFUND);
    const url = `/${surface}/intents/${intent.id}`;
    const proof_session_id = 'prf_00000000000000000000000000';
    const answer =
      surface === 'api'
        ? await t.call('PATCH', url, { key, body: { decision: 'approve', proof_session_id } })
        : await t.call('POST', `${url}/approve`, { key, body: { proof_session_id } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: invalidProof } });
    expect(await t.gate.storage.read.findIntent(intent.id)).toEqual(intent);
    expect(await t.gate.storage.read.listApprovals(intent.id)).toEqual([]);
  });

  function verify(token: string, action: string) {
    return surface === 'api'
      ? t.call('POST', '/api/intents/permit/verify', {
          key,
          body: { permit_token: token, action, context: REFUND.params },
        })
      : t.call('POST', '/v1/permits/validate', { key, body: { token, action, params: REFUND.params } });
  }

  it.each([
    ['empty', ''],
    ['huge', 'a'.repeat(200_000)],
    ['huge, in three parts', ['a', 'b', 'c'].map((part) => part.repeat(50_000)).join('.')],
    ['no token at all', 'hello, world'],
  ])('a token that is %s is a malformed permit', async (_what, token) => {
    const { status, body } = await verify(token, REFUND.action);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: invalidPermit, reason: 'malformed' } });
  });

  it.each(['not an action!', '', '*', 'a'.repeat(129)])(
    'the action %j is just another one',
    async (action) => {
      const { token } = await approvedIntent(t);
      const { status, body } = await verify(token, action);
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: invalidPermit, reason: 'action_mismatch' } });
    },
  );
});

it.each(['int_00000000000000000000000000', 'int_x', 'agt_x', 'nonsense', '', 'ü', 'x'.repeat(65)])(
  'to revoke the intent %j is to name one that is not there',
  async (intent_id) => {
    const { status, body } = await t.call('POST', '/v1/permits/revoke', { key, body: { intent_id } });
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { code: 'intent_not_found' } });
  },
);

it('/v1/v1 is /v1, for clients whose base address has it already', async () => {
  const made = await t.call('POST', '/v1/v1/intents', { key, body: REFUND });
  expect(made.status).toBe(201);
  const path = `intents/${made.body.id}`;
  expect((await t.call('GET', `/v1/v1/${path}?wait=0`, { key })).body).toEqual(
    (await t.call('GET', `/v1/${path}`, { key })).body,
  );
  expect((await t.call('GET', '/v1/v1/v1/intents/x', { key })).status).toBe(404);
});
