/** Threat 2c: what the requester says of itself never makes the outcome milder. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MILD_CONDITIONS, MILD_MATCHES } from '../../attack/tables/mild-rules.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

const DEFAULT = { approvers: ['role:approver'], min_approvals: 1 };

let t: Arena;
let careful: Awaited<ReturnType<Arena['addAgent']>>;
beforeAll(async () => {
  t = await openArena();
  careful = await t.addAgent({ name: 'careful-agent', riskTier: 'high' });
});
afterAll(() => t.close());

function putPolicy(rules: readonly object[], text?: string) {
  return t.call('PUT', `/v1/projects/${t.projectId}/policies`, {
    key: t.owner.token,
    body: text ?? { name: 'p', default: DEFAULT, rules },
  });
}

describe.each([0, 1] as const)('surface %#', (which) => {
  it.each(['low', 'medium', 'high', undefined])(
    'an agent of high risk that asks for %s is of high risk',
    async (asked) => {
      const answer = await t.surfaces[which].create(careful.key, 'deploy', {}, { risk_tier: asked });
      expect(answer.status).toBe(201);
      expect(answer.body.risk_tier).toBe('high');
    },
  );

  it('a tier above the agent’s own is taken, and one that is none is refused', async () => {
    const surface = t.surfaces[which];
    expect((await surface.create(careful.key, 'deploy', {}, { risk_tier: 'critical' })).body.risk_tier).toBe(
      'critical',
    );
    for (const tier of ['none', 'HIGH', '', 0, null, ['low'], 'low '])
      expectRefused(
        surface.name,
        await t.expectUnchanged(() => surface.create(careful.key, 'deploy', {}, { risk_tier: tier })),
        400,
        'INVALID_FIELDS',
        { fields: [{ path: '/risk_tier' }] },
      );
  });

  it('an agent key that names another source is refused, and that is written down', async () => {
    const surface = t.surfaces[which];
    for (const source of ['first-agent', t.agentId, 'Careful-Agent', 'careful-agent ', 'somebody', OWNER]) {
      const answer = await t.expectUnchanged(
        () => surface.create(careful.key, 'deploy', {}, { source }),
        ['access.refused'],
      );
      expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'source' });
      expect(t.written().at(-1)?.actorId).toBe(careful.agent.id);
    }
    t.clock.advance(60);
    for (const source of ['careful-agent', careful.agent.id]) {
      const answer = await surface.create(careful.key, 'deploy', {}, { source });
      expect(answer.status).toBe(201);
      const read = await t.surfaces[0].read(careful.key, idOf(answer));
      expect(read.body.source).toBe('careful-agent');
    }
  });

  it('a secret key that names a paused or revoked agent is held as that agent is, however the name is written', async () => {
    const surface = t.surfaces[which];
    const { agent } = await t.addAgent({ name: `held-${which}` });
    const path = `/v1/projects/${t.projectId}/agents/${agent.id}`;
    const spellings = [agent.name, agent.id, agent.name.toUpperCase()];
    for (const [verb, code] of [
      ['pause', 'AGENT_PAUSED'],
      ['revoke', 'AGENT_REVOKED'],
    ] as const) {
      expect((await t.call('POST', `${path}/${verb}`, { key: t.owner.token })).status).toBe(200);
      for (const source of spellings) {
        const answer = await t.expectUnchanged(() =>
          surface.create(t.first.secret_key, 'deploy', {}, { source }),
        );
        expectRefused(surface.name, answer, 403, code);
      }
    }
  });

  it('a service that calls itself an agent gets that agent’s risk tier, not its standing with policy', async () => {
    const surface = t.surfaces[which];
    const trusting = { name: 'trusts one agent', match: { action: 'deploy' }, effect: 'allow' };
    expect((await putPolicy([{ ...trusting, when: "agent.name == 'careful-agent'" }])).status).toBe(200);
    const posing = await surface.create(
      t.first.secret_key,
      'deploy',
      {},
      { source: 'careful-agent', risk_tier: 'low' },
    );
    expect(posing.body).toMatchObject({ status: 'pending', risk_tier: 'high' });
    const genuine = await surface.create(careful.key, 'deploy');
    expect(genuine.body.status).toBe('approved');
    expect((await putPolicy([])).status).toBe(200);
  });
});

const OWNER = 'owner@example.org';

describe('an allow rule that rests on what the requester chooses is refused at save', () => {
  it.each(MILD_CONDITIONS)('%s', async (_name, when, path) => {
    const rule = { name: 'mild', match: { action: 'deploy' }, effect: 'allow', when };
    const answer = await t.expectUnchanged(() => putPolicy([rule]));
    expectRefused('B', answer, 400, 'INVALID_FIELDS', {
      fields: [{ path, message: expect.stringContaining('may not rest on') }],
    });
    // The same words may always make an outcome stricter.
    const stricter = await putPolicy([{ ...rule, effect: 'deny' }]);
    expect(stricter.status, stricter.text).toBe(200);
    expect((await putPolicy([])).status).toBe(200);
  });

  it.each(MILD_MATCHES)('match.%s %j', async (member, value) => {
    const rule = { name: 'mild', match: { action: 'deploy', [member]: value }, effect: 'allow' };
    const answer = await t.expectUnchanged(() => putPolicy([rule]));
    expectRefused('B', answer, 400, 'INVALID_FIELDS', { fields: [{ path: `/rules/0/match/${member}` }] });
  });

  it('also when the document spells its words with escapes', async () => {
    const spelled = (rule: string) =>
      `{"name":"p","default":${JSON.stringify(DEFAULT)},"rules":[{"name":"mild","\\u0065ffect":"\\u0061llow",${rule}}]}`;
    for (const [rule, path] of [
      ['"wh\\u0065n":"m\\u0065tadata.ticket == \'x\'"', '/rules/0/when'],
      ['"match":{"sourc\\u0065":"release-bot"}', '/rules/0/match/source'],
      ['"match":{"source_typ\\u0065":"human"}', '/rules/0/match/source_type'],
    ] as const) {
      const answer = await t.expectUnchanged(() => putPolicy([], spelled(rule)));
      expectRefused('B', answer, 400, 'INVALID_FIELDS', { fields: [{ path }] });
    }
  });

  it('a second rule of the same name, or a member of the same name, hides nothing', async () => {
    const mild = { name: 'mild', effect: 'allow', when: "metadata.ticket == 'x'" };
    const harmless = { name: 'mild', effect: 'deny' };
    expectRefused('B', await t.expectUnchanged(() => putPolicy([harmless, mild])), 400, 'INVALID_FIELDS');
    const doubled = `{"name":"p","default":${JSON.stringify(DEFAULT)},"rules":[],"rules":[${JSON.stringify(mild)}]}`;
    expectRefused('B', await t.expectUnchanged(() => putPolicy([], doubled)), 400, 'INVALID_FIELDS');
  });
});
