/** Threat 1: whoever may not do a thing is refused before a byte of the body is looked at, and that is written down. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CredentialKind, MAY } from '../../attack/tables/who-may.ts';
import { createKey } from '../../packages/server/src/identity/keys/create-key.ts';
import { createUserToken } from '../../packages/server/src/identity/keys/user-token.ts';
import { ON_SQLITE, OPERATOR, OWNER_EMAIL } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { doorOf, expectRefused, idOf } from './doors.ts';
import { type Arena, openArena } from './open-arena.ts';
import { type FilledRoute, routesOf } from './routes-of.ts';

/** Takes a form, as its standard says, and so judges JSON by its type alone. */
const TAKES_A_FORM = 'POST /v1/permits/introspect';
/** Let in, and told that it would have to take a stream. */
const OPENS_A_STREAM = 'GET /mcp';

const HALF_A_BODY = '{"decision":"approve","approved_by":';

describe.each(['live', 'test'] as const)('in %s mode', (mode) => {
  let t: Arena;
  let routes: readonly FilledRoute[];
  const credentials = new Map<string, { key: string; actorId: string }>();

  beforeAll(async () => {
    t = await openArena({ mode });
    const viewer = await t.addPerson('viewer@example.org', 'viewer');
    const approver = await t.addPerson('approver@example.org', 'approver');
    const ownerToken = async (name: string, rights: readonly ('decide' | 'manage')[]) => ({
      key: (await createUserToken(t.gate, OPERATOR, { name, email: OWNER_EMAIL, rights })).key,
      actorId: t.owner.userId,
    });
    const service = async (email: string) => {
      const { key, caller } = await t.addService(email);
      return { key, actorId: caller.credentialId };
    };
    credentials.set('agent key', { key: t.first.agent_key, actorId: t.agentId });
    credentials.set('verifier key', { key: t.first.verifier_key, actorId: t.verifier.credentialId });
    credentials.set('token of a viewer, with every right', { key: viewer.token, actorId: viewer.userId });
    credentials.set('token of an approver, with every right', {
      key: approver.token,
      actorId: approver.userId,
    });
    credentials.set('token of the owner, without rights', await ownerToken('reading', []));
    credentials.set('token of the owner, to decide only', await ownerToken('deciding', ['decide']));
    credentials.set('token of the owner, to manage only', await ownerToken('managing', ['manage']));
    credentials.set('secret key of an approver', await service('approver@example.org'));
    credentials.set('secret key of a viewer', await service('viewer@example.org'));
    credentials.set('secret key of the owner', await service(OWNER_EMAIL));

    const { record } = await createKey(t.gate, OPERATOR, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'another key',
    });
    const group = await t.call('PUT', `/v1/projects/${t.projectId}/groups/finance`, {
      present: t.owner,
      body: { members: ['approver@example.org'] },
    });
    expect(group.status).toBe(200);
    const shadow = await t.call('PUT', `/v1/projects/${t.projectId}/policies/shadow`, {
      present: t.owner,
      body: { name: 'p', default: { approvers: ['role:owner'] }, rules: [] },
    });
    expect(shadow.status).toBe(200);
    const proposal = await t.call('POST', `/v1/projects/${t.projectId}/policies/proposals`, {
      present: t.owner,
      body: { policy: { name: 'p', default: { approvers: ['role:owner'] }, rules: [] } },
    });
    routes = routesOf({
      project: t.projectId,
      intent: idOf(
        // So many routes are tried that hours pass.
        await t.doors[1].create(
          t.first.agent_key,
          'payments.refund',
          { amount: 5 },
          { expires_in: 2_592_000 },
        ),
      ),
      agent: t.agentId,
      key: record.id,
      user: approver.userId,
      group: 'finance',
      proposal: idOf(proposal),
      ...(await t.addWebhook()),
      ...(await t.addUpstream()),
    });
  });
  afterAll(() => t.close());

  it.each(Object.keys(MAY) as CredentialKind[])(
    '%s: 403 on every route it is not given, recorded, nothing changed',
    async (name) => {
      const { key = '', actorId = '' } = credentials.get(name) ?? {};
      const may = MAY[name][mode === 'live' ? 'inLive' : 'inTest'] as readonly string[];
      const forbidden = routes.filter(({ route }) => !may.includes(route));
      expect(forbidden.length + new Set(may).size).toBe(routes.length);
      for (const [number, { route, method, path }] of forbidden.entries()) {
        // Refusals are written down ten times a minute and credential.
        if (number % 10 === 0) t.clock.advance(60);
        const bodyless = method === 'GET' || method === 'DELETE';
        const before = t.now();
        const answer = await t.expectUnchanged(
          () => t.call(method, path, { key, ...(bodyless ? {} : { body: HALF_A_BODY }) }),
          ['access.refused'],
        );
        expectRefused(doorOf(path), answer, 403, 'FORBIDDEN', {
          required: expect.stringMatching(/:|^session$/),
        });
        expect(t.written(before)).toMatchObject([{ actorId, projectId: t.projectId, data: { route } }]);
      }
    },
  );

  it.each(Object.keys(MAY) as CredentialKind[])(
    '%s: what it is given is judged by its body, not refused',
    async (name) => {
      const { key = '' } = credentials.get(name) ?? {};
      const may = MAY[name][mode === 'live' ? 'inLive' : 'inTest'] as readonly string[];
      for (const { route, method, path } of routes.filter((candidate) => may.includes(candidate.route))) {
        if (method === 'DELETE') continue;
        const reads = method === 'GET';
        const answer = await t.expectUnchanged(() =>
          t.call(method, path, { key, ...(reads ? {} : { body: HALF_A_BODY }) }),
        );
        if (reads) expect(answer.status, route).toBe(route === OPENS_A_STREAM ? 405 : 200);
        else if (route === TAKES_A_FORM) expectRefused(doorOf(path), answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
        else expectRefused(doorOf(path), answer, 400, 'INVALID_FIELDS');
      }
    },
  );

  it.runIf(ON_SQLITE)(
    'no credential, a word that is none, and keys of no known kind get 401 everywhere',
    async () => {
      for (const { method, path } of routes) {
        for (const authorization of [
          undefined,
          'Bearer ',
          'Basic b3duZXI6eA==',
          `Bearer ${t.first.secret_key}x`,
        ]) {
          const answer = await t.expectUnchanged(() =>
            t.call(method, path, { headers: authorization === undefined ? {} : { authorization } }),
          );
          expect(answer.body).toEqual({
            error: {
              code: doorOf(path) === 'A' ? 'UNAUTHORIZED' : 'unauthorized',
              message: expect.any(String),
              request_id: expect.stringMatching(/^req_/),
            },
          });
          expect(answer.status).toBe(401);
        }
        // Wrong keys are limited per address, which is another threat's business.
        t.clock.advance(60);
      }
    },
  );
});

it('a key sent as a query, a cookie, a body member or a second header opens nothing', async () => {
  const t = await openArena();
  const { secret_key: key } = t.first;
  const elsewhere = [
    () => t.call('GET', `/api/intents?api_key=${key}`),
    () =>
      t.call('GET', '/api/intents', { headers: { cookie: `authorization=Bearer ${key}; session=${key}` } }),
    () => t.call('GET', '/api/intents', { headers: { 'x-api-key': key } }),
    () => t.call('POST', '/v1/intents', { body: { action: 'deploy', key } }),
    () =>
      t.call('GET', '/api/intents', {
        headers: { authorization: `Bearer ${t.first.verifier_key}, Bearer ${key}` },
      }),
    () => t.call('GET', '/api/intents', { headers: { authorization: key } }),
    () => t.call('GET', `http://${key}@localhost/api/intents`),
  ];
  for (const attempt of elsewhere) {
    const answer = await t.expectUnchanged(attempt);
    expect(answer.status).toBe(401);
  }
  await t.close();
});
