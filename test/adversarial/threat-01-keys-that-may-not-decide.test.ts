/**
 * Threat 1: who shows no key, or shows one where none belongs, does nothing. Every credential on every route it is not given:
 * threat-20-every-right.test.ts.
 */
import { expect, it } from 'vitest';
import { NOBODYS } from '../../attack/tables/nobodys-things.ts';
import { ON_SQLITE } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { openArena } from './open-arena.ts';
import { routesOf } from './routes-of.ts';
import { idOf, surfaceOf } from './surfaces.ts';

it.runIf(ON_SQLITE).each(['live', 'test'] as const)(
  'in %s mode no credential, a word that is none, and keys of no known kind get 401 on every route',
  async (mode) => {
    const t = await openArena({ mode });
    const intent = await t.surfaces[1].create(t.first.agent_key, 'payments.refund', { amount: 5 });
    const parts = {
      ...NOBODYS,
      project: t.projectId,
      intent: idOf(intent),
      agent: t.agentId,
      key: t.agent.credentialId,
      user: t.owner.userId,
      ...(await t.addWebhook()),
      ...(await t.addUpstream()),
    };
    const bad = [undefined, 'Bearer ', 'Basic b3duZXI6eA==', `Bearer ${t.first.secret_key}x`];
    for (const { route, method, path } of routesOf(parts)) {
      const answers: unknown[] = [];
      await t.expectUnchanged(async () => {
        for (const authorization of bad) {
          const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
          const { status, body } = await t.call(method, path, { headers });
          answers.push([authorization, status, body]);
        }
      });
      const error = {
        code: surfaceOf(path) === 'A' ? 'UNAUTHORIZED' : 'unauthorized',
        message: expect.any(String),
        request_id: expect.stringMatching(/^req_/),
      };
      expect(answers, route).toEqual(bad.map((authorization) => [authorization, 401, { error }]));
      // Wrong keys are limited per address, which is another threat's business.
      t.clock.advance(60);
    }
    await t.close();
  },
);

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
