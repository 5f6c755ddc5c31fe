/** Threat 10: ids and tokens of another project are, on every route, as if there were no such thing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODYS } from '../../attack/tables/nobodys-things.ts';
import type { PathParts } from '../../attack/tables/path-parts.ts';
import { SOUND_BODIES } from '../../attack/tables/sound-bodies.ts';
import { ROUTE_ACCESS, type RouteName } from '../../packages/server/src/http/admission/route-scopes.ts';
import { createUserToken } from '../../packages/server/src/people/keys/user-token.ts';
import { addMember } from '../../packages/server/src/people/members/add-member.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Answer, type Arena, type Neighbour, openArena } from './open-arena.ts';
import { type FilledRoute, routesOf } from './routes-of.ts';
import { expectRefused, idOf, permitOf } from './surfaces.ts';

let t: Arena;
let other: Neighbour;
let person: Person;
let ours: PathParts;
let token: string;
beforeAll(async () => {
  t = await openArena({ mode: 'test' });
  // In test mode a secret key holds every scope, so that nothing but the id keeps it out.
  other = await t.addNeighbour('Neighbour', 'test');
  person = await t.addPerson('person@example.org', 'approver');
  const group = { key: t.owner.token, body: { members: [person.email] } };
  expect((await t.call('PUT', `/v1/projects/${t.projectId}/groups/finance`, group)).status).toBe(200);
  const approved = idOf(await t.surfaces[0].create(t.first.agent_key, 'deploy', { n: 1 }));
  await t.surfaces[0].approve(person.token, approved);
  token = permitOf(await t.surfaces[0].read(t.first.agent_key, approved));
  const proposal = await t.call('POST', `/v1/projects/${t.projectId}/policies/proposals`, {
    key: t.owner.token,
    body: { policy: { name: 'p', default: { approvers: ['role:owner'] }, rules: [] } },
  });
  ours = {
    project: t.projectId,
    intent: idOf(await t.surfaces[0].create(t.first.agent_key, 'deploy', { n: 1 })),
    agent: t.agentId,
    key: t.verifier.credentialId,
    user: person.userId,
    group: 'finance',
    proposal: idOf(proposal),
    ...(await t.addWebhook()),
    ...(await t.addUpstream()),
  };
});
afterAll(() => t.close());

/** All that an answer tells, but for what names the request itself. */
function told({ status, body, headers }: Answer) {
  const { request_id: _own, ...error } = body.error as Record<string, unknown>;
  return { status, error, names: Object.keys(headers).toSorted() };
}

async function compare(
  key: string,
  foreign: readonly FilledRoute[],
  unknown: readonly FilledRoute[],
): Promise<number> {
  let found404 = 0;
  for (const [index, { route, method, path }] of foreign.entries()) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : (SOUND_BODIES[route] ?? {});
    const before = t.snapshot();
    const start = t.now();
    const first = await t.call(method, path, { key, body });
    const second = await t.call(method, unknown[index]?.path ?? '', { key, body });
    expect(told(first), `${route} tells the two apart`).toEqual(told(second));
    expect([403, 404], `${route}: ${first.text}`).toContain(first.status);
    if (first.status === 404) found404 += 1;
    const here = t.written(start).filter(({ projectId }) => projectId === t.projectId);
    expect(here, route).toEqual([]);
    expect(t.snapshot()).toEqual(before);
  }
  return found404;
}

/** The pages' own doors let no key in, whatever it names; but for what programs of people read there. */
const FOR_KEYS = (route: string) =>
  !route.includes(' /console/') || ROUTE_ACCESS[route as RouteName] === 'reviewer';
const NAMED = (route: string) => FOR_KEYS(route) && route.includes(':');
const BELOW = (route: string) =>
  FOR_KEYS(route) &&
  /:(agent_id|key_id|user_id|name|proposal_id|webhook_id|upstream_id)/.test(route) &&
  !route.startsWith('PUT');

describe.each(['secretKey', 'ownerToken', 'agentKey', 'verifierKey'] as const)(
  'with the %s of another project',
  (kind) => {
    it('every path that names ours answers as one that names nothing', async () => {
      const routes = (parts: PathParts) => routesOf(parts).filter(({ route }) => NAMED(route));
      const found = await compare(other[kind], routes(ours), routes(NOBODYS));
      // Those who may do everything in their own project are kept out by the id alone.
      if (kind === 'secretKey') expect(found).toBe(routes(ours).length);
      else expect(found).toBeGreaterThan(2);
    });

    it('our agents, keys, people, groups and webhooks below their own project neither', async () => {
      const routes = (parts: PathParts) =>
        routesOf({ ...parts, project: other.projectId }).filter(({ route }) => BELOW(route));
      const found = await compare(other[kind], routes(ours), routes(NOBODYS));
      if (kind === 'secretKey') expect(found).toBe(routes(ours).length);
    });

    it('paths that only look like ids answer alike on each surface', async () => {
      for (const id of [
        '1',
        '0',
        '-1',
        'null',
        'int_',
        'INT_01HZZZZZZZZZZZZZZZZZZZZZZZ',
        `${ours.intent} `,
        `${ours.intent}%00`,
        '%27%20or%201=1--',
        '*',
        '%25',
        '.',
        '__proto__',
        'constructor',
      ]) {
        for (const path of [`/api/intents/${id}`, `/v1/intents/${id}`]) {
          const answer = await t.expectUnchanged(() =>
            t.call('GET', path.replaceAll(' ', '%20'), { key: other.secretKey }),
          );
          expect([400, 404], `${path}: ${answer.text}`).toContain(answer.status);
          expect(answer.text).not.toContain(ours.intent.slice(4));
        }
      }
    });
  },
);

describe('ids inside bodies and queries', () => {
  it('revoking our intent, or with our permit, finds nothing', async () => {
    const revoke = (body: object) =>
      t.expectUnchanged(() => t.call('POST', '/v1/permits/revoke', { key: other.secretKey, body }));
    const foreign = await revoke({ intent_id: ours.intent });
    expectRefused('B', foreign, 404, 'INTENT_NOT_FOUND');
    expect(told(foreign)).toEqual(told(await revoke({ intent_id: NOBODYS.intent })));
    expectRefused('B', await revoke({ token }), 404, 'INTENT_NOT_FOUND');
  });

  it('naming our agent as a source is a label like any other, whatever became of the agent', async () => {
    const doomed = await t.addAgent({ name: 'doomed' });
    await t.call('POST', `/v1/projects/${t.projectId}/agents/${doomed.agent.id}/revoke`, {
      key: t.owner.token,
    });
    for (const surface of t.surfaces) {
      for (const source of ['doomed', doomed.agent.id, 'first-agent']) {
        const answer = await surface.create(other.secretKey, 'deploy', {}, { source });
        expect(answer.status, answer.text).toBe(201);
      }
    }
  });

  it('our people and groups approve nothing there', async () => {
    for (const surface of t.surfaces) {
      for (const name of ['person@example.org', 'finance', ours.user]) {
        const answer = await t.expectUnchanged(() =>
          surface.create(other.secretKey, 'deploy', {}, { approvers: [name] }),
        );
        expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', { approvers: [name] });
      }
    }
  });

  it('a key for our agent, a group of our people: as for nobody', async () => {
    const root = `/v1/projects/${other.projectId}`;
    const mint = (agent: string) =>
      t.expectUnchanged(() =>
        t.call('POST', `${root}/keys`, {
          key: other.secretKey,
          body: { kind: 'agent', name: 'x', agent_id: agent },
        }),
      );
    const minted = await mint(t.agentId);
    expectRefused('B', minted, 400, 'INVALID_FIELDS', { fields: [{ path: '/agent_id' }] });
    expect(told(minted)).toEqual(told(await mint(NOBODYS.agent)));
    const group = (member: string) =>
      t.expectUnchanged(() =>
        t.call('PUT', `${root}/groups/mixed`, { key: other.secretKey, body: { members: [member] } }),
      );
    const grouped = await group(ours.user);
    expect(grouped.status).toBe(400);
    const hide = (answer: Answer, id: string) => JSON.stringify(told(answer)).replaceAll(id, '…');
    expect(hide(grouped, ours.user)).toBe(hide(await group(NOBODYS.user), NOBODYS.user));
    expect((await group(person.email)).status).toBe(400);
  });

  it('cursors and filters that name ours find nothing of ours', async () => {
    const lists = [
      `/api/intents?cursor=${ours.intent}&limit=200`,
      '/api/intents?limit=200',
      `/v1/projects/${other.projectId}/audit?intent_id=${ours.intent}`,
      `/v1/projects/${other.projectId}/audit?actor=${t.agentId}`,
      `/v1/projects/${other.projectId}/audit?limit=200`,
      `/v1/projects/${other.projectId}/agents?cursor=${t.agentId}`,
      `/v1/projects/${other.projectId}/keys?cursor=${ours.key}`,
      `/v1/projects/${other.projectId}/members?limit=200`,
    ];
    for (const path of lists) {
      for (const key of [other.secretKey, other.ownerToken]) {
        const { text } = await t.call('GET', path, { key });
        for (const id of [ours.intent, ours.agent, ours.key, ours.user, t.projectId, 'person@example.org']) {
          expect(text.includes(id), `${path} shows ${id}`).toBe(false);
        }
      }
    }
  });
});

describe('one person in two projects', () => {
  it('has in each what the role there gives, and no more', async () => {
    await addMember(t.gate, t.operator, {
      projectId: t.projectId,
      email: 'owner@neighbour.example',
      role: 'viewer',
    });
    const { key } = await createUserToken(t.gate, t.operator, {
      name: 'both',
      email: 'owner@neighbour.example',
      rights: ['decide', 'manage'],
    });
    for (const { route, method, path } of routesOf(ours)) {
      if (method === 'GET' || !NAMED(route)) continue;
      const body = method === 'DELETE' ? undefined : (SOUND_BODIES[route] ?? {});
      const before = t.snapshot();
      const start = t.now();
      const answer = await t.call(method, path, { key, body });
      expect(answer.status, route).toBe(403);
      expect(t.snapshot()).toEqual(before);
      expect(t.written(start).filter(({ type }) => type !== 'access.refused')).toEqual([]);
      t.clock.advance(60);
    }
    const revoked = await t.call('POST', '/v1/permits/revoke', { key, body: { intent_id: ours.intent } });
    expectRefused('B', revoked, 403, 'FORBIDDEN');
    expect((await t.surfaces[0].read(key, ours.intent)).status).toBe(200);
    const theirs = idOf(await t.surfaces[0].create(other.agentKey, 'deploy'));
    expect((await t.surfaces[1].approve(key, theirs)).body.status).toBe('approved');
  });
});

describe('a path in another spelling', () => {
  /** The same path with every letter of its words, or of the id in it, as `%XX`. */
  const encoded = (text: string) =>
    [...text].map((char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`).join('');
  const spellings = (path: string): string[] => [
    path.replace('projects', encoded('projects')),
    path.replace('projects', '%70rojects'),
    path.replace(/^\/v1/, '/%76%31'),
    path.replace(/prj_\w+/, encoded),
    path.replace('prj_', 'prj%5f'),
  ];

  it('is the same path: our own project answers, another one does not, and the refusal names the project', async () => {
    const own = `/v1/projects/${t.projectId}/agents`;
    for (const path of spellings(own)) {
      expect((await t.call('GET', path, { key: t.first.secret_key })).body, path).toEqual(
        (await t.call('GET', own, { key: t.first.secret_key })).body,
      );
      const foreign = await t.call('GET', path, { key: other.secretKey });
      expect(told(foreign), path).toEqual(told(await t.call('GET', own, { key: other.secretKey })));
      t.clock.advance(60);
      const start = t.now();
      expect((await t.call('POST', path, { key: t.first.agent_key, body: { name: 'x' } })).status).toBe(403);
      expect(t.written(start), path).toMatchObject([
        { type: 'access.refused', projectId: t.projectId, data: { route: 'POST /v1/projects/:id/agents' } },
      ]);
    }
  });

  it('is the same request to an idempotency key', async () => {
    const path = `/v1/projects/${t.projectId}/agents`;
    const ids = new Set<unknown>();
    for (const each of [path, ...spellings(path)]) {
      const { body } = await t.call('POST', each, {
        key: t.owner.token,
        headers: { 'idempotency-key': 'one agent' },
        body: { name: 'made once' },
      });
      ids.add(body.id);
    }
    expect(ids.size).toBe(1);
  });

  it('speaks the words of its surface', async () => {
    const answer = await t.call('GET', '/%61pi/intents/int_none', { key: t.first.agent_key });
    expectRefused('A', answer, 404, 'INTENT_NOT_FOUND');
  });

  it('with an encoded slash names no other project', async () => {
    for (const id of [
      `${other.projectId}%2F..%2F${t.projectId}`,
      `${t.projectId}%2Fagents`,
      `%2F${t.projectId}`,
    ]) {
      const answer = await t.expectUnchanged(() =>
        t.call('GET', `/v1/projects/${id}/agents`, { key: t.first.secret_key }),
      );
      expectRefused('B', answer, 404, 'PROJECT_NOT_FOUND');
    }
  });
});
