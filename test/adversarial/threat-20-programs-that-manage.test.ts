/** Threat 20: in live mode a program stops things, and changes nothing that a rule rests on; nor does a stolen cookie. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putPolicy } from '../../packages/server/src/gate/policy-management/put-policy.ts';
import { OPERATOR } from '../../packages/server/test/fixtures/open-test-gate.ts';
import type { SignedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused } from './surfaces.ts';

const ACTION = 'payments.refund';
/** Longer than a sign-in counts as presence, and shorter than a session lives unused. */
const SIXTEEN_MINUTES = 16 * 60;

const TRUSTED = { labels: { team: 'trusted' }, name: 'trusted-agent', risk_tier: 'low' } as const;
/** Each allows by what somebody with the right to manage says of an agent. */
const RULES = [
  ['labels', "agent != null && 'team' in agent.labels && agent.labels.team == 'trusted'"],
  ['name', "agent != null && agent.name == 'trusted-agent'"],
  ['risk_tier', "agent != null && agent.risk_tier == 'low'"],
] as const;

let t: Arena;
let robot: { id: string; key: string };
let programs: Record<'secret key' | 'token to manage', { key: string; actorId: string }>;
/** The owner at a browser, who signed in a while ago. */
let stale: SignedIn;

beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  const rules = RULES.map(([name, when]) => ({ name, match: { action: ACTION }, when, effect: 'allow' }));
  const document = { name: 'p', default: { approvers: ['role:approver'] }, rules };
  await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document });
  const { agent, key } = await t.addAgent({ name: 'robot', riskTier: 'high' });
  robot = { id: agent.id, key };
  programs = {
    'secret key': { key: t.first.secret_key, actorId: t.secret.credentialId },
    'token to manage': { key: t.owner.token, actorId: t.owner.userId },
  };
  stale = await t.owner.signIn();
  t.clock.advance(SIXTEEN_MINUTES);
});
afterAll(() => t.close());

const root = (path: string) => `/v1/projects/${t.projectId}${path}`;

/** What starts, or changes what rules rest on. */
function changes(): readonly (readonly [method: string, path: string, body: object, required: string])[] {
  const agent = `/agents/${robot.id}`;
  return [
    ['POST', '/agents', { name: TRUSTED.name }, 'agents:write'],
    ['PATCH', agent, { labels: TRUSTED.labels }, 'agents:write'],
    ['PATCH', agent, { name: TRUSTED.name }, 'agents:write'],
    ['PATCH', agent, { risk_tier: TRUSTED.risk_tier }, 'agents:write'],
    ['PATCH', agent, { fingerprint: 'sha256:other' }, 'agents:write'],
    ['POST', `${agent}/resume`, {}, 'agents:write'],
    ['POST', '/start', {}, 'project:start'],
  ];
}

/** At both doors, what the robot asks for waits for a person. */
async function expectStillAsked(): Promise<void> {
  for (const surface of t.surfaces) {
    expect((await surface.create(robot.key, ACTION, { amount: 5 })).body).toMatchObject({
      status: 'pending',
    });
  }
}

describe.each(['secret key', 'token to manage'] as const)('in live mode a %s', (name) => {
  const program = () => programs[name];

  it('neither registers, changes, resumes nor starts: 403, recorded, nothing changed', async () => {
    for (const [method, path, body, required] of changes()) {
      const answer = await t.expectUnchanged(
        () => t.call(method, root(path), { key: program().key, body }),
        ['access.refused'],
      );
      expectRefused('B', answer, 403, 'FORBIDDEN', { required });
      expect(answer.text).toContain('sign in to the dashboard');
      expect(t.written().at(-1)).toMatchObject({ actorId: program().actorId, projectId: t.projectId });
      t.clock.advance(10);
    }
    await expectStillAsked();
  });

  it('pauses an agent, which stays paused: it does not resume it', async () => {
    const { key } = program();
    const paused = await t.call('POST', root(`/agents/${robot.id}/pause`), { key, body: {} });
    expect([paused.status, paused.body.status]).toEqual([200, 'paused']);
    const resumed = await t.expectUnchanged(
      () => t.call('POST', root(`/agents/${robot.id}/resume`), { key, body: {} }),
      ['access.refused'],
    );
    expectRefused('B', resumed, 403, 'FORBIDDEN', { required: 'agents:write' });
    for (const surface of t.surfaces) {
      expectRefused(surface.name, await surface.create(robot.key, ACTION), 403, 'AGENT_PAUSED');
    }
    const present = { present: t.owner, body: {} };
    expect((await t.call('POST', root(`/agents/${robot.id}/resume`), present)).status).toBe(200);
    await expectStillAsked();
  });

  it('revokes an agent', async () => {
    const doomed = await t.addAgent({ name: `doomed by the ${name}` });
    const path = root(`/agents/${doomed.agent.id}/revoke`);
    const revoked = await t.call('POST', path, { key: program().key, body: {} });
    expect([revoked.status, revoked.body.status]).toEqual([200, 'revoked']);
  });

  it('revokes a permit', async () => {
    const id = String((await t.surfaces[1].create(robot.key, ACTION)).body.id);
    const { headers } = await t.owner.signIn();
    const shown = { intent_hash: (await t.gate.storage.read.findIntent(id))?.intentHash };
    const approved = await t.call('POST', `/v1/intents/${id}/approve`, { headers, body: shown });
    expect(approved.body.status).toBe('approved');
    const body = { intent_id: id };
    expect((await t.call('POST', '/v1/permits/revoke', { key: program().key, body })).status).toBe(200);
  });

  it('stops the project, which stays stopped: it does not start it', async () => {
    const { key } = program();
    const stopped = await t.call('POST', root('/stop'), { key, body: {} });
    expect([stopped.status, stopped.body.stopped]).toEqual([200, true]);
    const started = await t.expectUnchanged(
      () => t.call('POST', root('/start'), { key, body: {} }),
      ['access.refused'],
    );
    expectRefused('B', started, 403, 'FORBIDDEN', { required: 'project:start' });
    for (const surface of t.surfaces) {
      expectRefused(surface.name, await surface.create(robot.key, ACTION), 403, 'PROJECT_STOPPED');
    }
    expect((await t.call('POST', root('/start'), { present: t.owner, body: {} })).status).toBe(200);
    await expectStillAsked();
  });
});

describe('in live mode a session', () => {
  it('without presence neither registers, changes, resumes nor starts: 403, nothing changed', async () => {
    for (const [method, path, body] of changes()) {
      const { headers } = stale;
      const answer = await t.expectUnchanged(() => t.call(method, root(path), { headers, body }));
      expectRefused('B', answer, 403, 'PROOF_REQUIRED', { proof_tier: 'session' });
    }
    await expectStillAsked();
  });

  it('without presence pauses and stops', async () => {
    for (const path of [`/agents/${robot.id}/pause`, '/stop']) {
      const answer = await t.call('POST', root(path), { headers: stale.headers, body: {} });
      expect(answer.status, answer.text).toBe(200);
    }
  });

  it('with presence starts, resumes, registers and changes; then the rule lets the agent through', async () => {
    const byOwner = (method: string, path: string, body: object): Promise<Answer> =>
      t.call(method, root(path), { present: t.owner, body });
    expect((await byOwner('POST', '/start', {})).status).toBe(200);
    expect((await byOwner('POST', `/agents/${robot.id}/resume`, {})).status).toBe(200);
    await expectStillAsked();
    expect((await byOwner('POST', '/agents', { name: 'another' })).status).toBe(201);
    const changed = await byOwner('PATCH', `/agents/${robot.id}`, { labels: TRUSTED.labels });
    expect(changed.status).toBe(200);
    for (const surface of t.surfaces) {
      expect((await surface.create(robot.key, ACTION)).body).toMatchObject({ status: 'approved' });
    }
  });
});

it('in test mode one secret key does all of it', async () => {
  const easy = await openArena({ mode: 'test' });
  const { secret_key: key } = easy.first;
  const path = (rest: string) => `/v1/projects/${easy.projectId}${rest}`;
  for (const [method, rest, body] of [
    ['POST', '/agents', { name: 'another' }],
    ['PATCH', `/agents/${easy.agentId}`, { labels: TRUSTED.labels }],
    ['POST', `/agents/${easy.agentId}/pause`, {}],
    ['POST', `/agents/${easy.agentId}/resume`, {}],
    ['POST', '/stop', {}],
    ['POST', '/start', {}],
  ] as const) {
    const answer = await easy.call(method, path(rest), { key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
  }
  await easy.close();
});
