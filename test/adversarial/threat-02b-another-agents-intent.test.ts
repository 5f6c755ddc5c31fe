/** Threat 2b: what one agent asked for does not exist for another, and permit tokens are shown to the requester only. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { routesOf } from './routes-of.ts';
import { expectRefused, idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const PARAMS = { amount: 5, to: 'acct_1' };

let t: Arena;
let approver: Person;
let viewer: Person;
let stranger: Awaited<ReturnType<Arena['addAgent']>>;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  approver = await t.addPerson('approver@example.org', 'approver');
  viewer = await t.addPerson('viewer@example.org', 'viewer');
  stranger = await t.addAgent({ name: 'stranger' });
});
afterAll(() => t.close());

async function approvedIntent(): Promise<{ id: string; token: string; receipt: Record<string, unknown> }> {
  const id = idOf(await t.surfaces[1].create(t.first.agent_key, ACTION, PARAMS));
  expect((await t.surfaces[1].approve(approver, id)).status).toBe(200);
  const read = await t.surfaces[0].read(t.first.agent_key, id);
  return { id, token: permitOf(read), receipt: read.body.receipt_v2 as Record<string, unknown> };
}

function withoutRequestId({ status, body }: Answer) {
  const { request_id: _own, ...error } = body.error as Record<string, unknown>;
  return { status, error };
}

const UNKNOWN = 'int_01hzzzzzzzzzzzzzzzzzzzzzzz';

describe('another agent, with a key of its own', () => {
  it.each(['pending', 'approved', 'consumed'])('finds nothing where a %s intent is', async (state) => {
    const { key } = stranger;
    let { id, token } = { id: '', token: 'eyJ' };
    if (state === 'pending') id = idOf(await t.surfaces[0].create(t.first.agent_key, ACTION, PARAMS));
    else ({ id, token } = await approvedIntent());
    if (state === 'consumed') {
      const used = await t.surfaces[0].verify(t.first.agent_key, {
        token,
        action: ACTION,
        params: PARAMS,
        consume: true,
      });
      expect(used.status).toBe(200);
    }
    const tried = (target: string): (readonly [string, string, object?])[] => [
      ['GET', `/api/intents/${target}`],
      ['GET', `/v1/intents/${target}`],
      // Held for a minute, were it there: the answer must come at once.
      ['GET', `/api/intents/${target}?wait=60`],
      ['GET', `/v1/intents/${target}?wait=60`],
      ['HEAD', `/v1/intents/${target}`],
      ['POST', `/v1/intents/${target}/permit`, {}],
      ['POST', `/v1/intents/${target}/withdraw`, {}],
      ['POST', `/v1/intents/${target}/outcome`, { outcome: 'succeeded' }],
    ];
    for (const [number, [method, path, body]] of tried(id).entries()) {
      const answer = await t.expectUnchanged(() => t.call(method, path, { key, body }));
      if (method === 'HEAD') {
        expect(answer.status).toBe(404);
        continue;
      }
      expectRefused(path.startsWith('/api') ? 'A' : 'B', answer, 404, 'INTENT_NOT_FOUND');
      const [, unknownPath = ''] = tried(UNKNOWN)[number] ?? [];
      expect(withoutRequestId(answer)).toEqual(
        withoutRequestId(await t.call(method, unknownPath, { key, body })),
      );
    }
    for (const list of ['', '?status=pending', '?status=approved', '?status=resolved', '?limit=200']) {
      const answer = await t.call('GET', `/api/intents${list}`, { key });
      expect(answer.body).toEqual({ intents: [], next_cursor: null });
    }
  });

  it('cannot verify or use its permit or receipt, were they stolen', async () => {
    const { id, token, receipt } = await approvedIntent();
    for (const surface of t.surfaces) {
      for (const consume of [false, true]) {
        const answer = await t.expectUnchanged(() =>
          surface.verify(stranger.key, { token, action: ACTION, params: PARAMS, consume }),
        );
        expectRefused(surface.name, answer, 404, 'INTENT_NOT_FOUND');
      }
    }
    for (const shown of [receipt, receipt.jws]) {
      const answer = await t.call('POST', '/api/intents/permit/verify', {
        key: stranger.key,
        body: { receipt: shown },
      });
      expectRefused('A', answer, 404, 'INTENT_NOT_FOUND');
    }
    expect(t.story(id)).not.toContain('permit.consumed');
  });

  it('cannot answer for what somebody else consumed, be it its own intent', async () => {
    const { id, token } = await approvedIntent();
    await t.surfaces[1].verify(t.first.verifier_key, {
      token,
      action: ACTION,
      params: PARAMS,
      consume: true,
    });
    const answer = await t.expectUnchanged(
      () =>
        t.call('POST', `/v1/intents/${id}/outcome`, {
          key: t.first.agent_key,
          body: { outcome: 'succeeded' },
        }),
      ['access.refused'],
    );
    expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'consumer' });
  });
});

it('a secret key of another member cannot take an agent’s permit afresh, nor withdraw for it', async () => {
  const service = await t.addService('approver@example.org');
  const { id } = await approvedIntent();
  const pending = idOf(await t.surfaces[1].create(t.first.agent_key, ACTION, PARAMS));
  for (const [path, intent] of [
    ['permit', id],
    ['withdraw', pending],
  ] as const) {
    const answer = await t.expectUnchanged(
      () => t.call('POST', `/v1/intents/${intent}/${path}`, { key: service.key, body: {} }),
      ['access.refused'],
    );
    expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'requester' });
  }
});

describe('a permit token', () => {
  /** Any part of it would do: the signature alone names it. */
  function expectAbsent(text: string, token: string, where: string): void {
    for (const part of [token, ...token.split('.').slice(1)]) expect(text.includes(part), where).toBe(false);
  }

  it('is in no answer to anybody but the requester and secret keys, on any reading route', async () => {
    const { id, token } = await approvedIntent();
    const { record } = await t.addService('viewer@example.org', 'a key to list').then(async ({ keyId }) => ({
      record: await t.gate.storage.read.findKey(keyId),
    }));
    const routes = routesOf({
      project: t.projectId,
      intent: id,
      agent: t.agentId,
      key: record?.id ?? '',
      user: viewer.userId,
      group: 'none',
      proposal: 'none',
      webhook: 'none',
      upstream: 'none',
      delivery: 'none',
    }).filter(({ method }) => method === 'GET');
    const readers = {
      viewer: viewer.token,
      approver: approver.token,
      owner: t.owner.token,
      verifier: t.first.verifier_key,
      'another agent': stranger.key,
    };
    for (const { path } of routes) {
      for (const [who, key] of Object.entries(readers)) {
        for (const query of ['', '?wait=0', '?limit=200']) {
          expectAbsent(
            (await t.call('GET', path + query, { key })).text,
            token,
            `${who} GET ${path}${query}`,
          );
        }
      }
    }
    for (const path of [
      '/api/intents',
      '/api/intents?status=approved&limit=200',
      `/v1/projects/${t.projectId}/audit?limit=200`,
    ]) {
      for (const key of [t.first.secret_key, t.first.agent_key]) {
        expectAbsent((await t.call('GET', path, { key })).text, token, `list ${path}`);
      }
    }
    // The other way round: those who may hold it do get it, so the test above sees what it looks for.
    for (const key of [t.first.secret_key, t.first.agent_key]) {
      for (const surface of t.surfaces) expect(permitOf(await surface.read(key, id))).toBe(token);
    }
  });

  it('is not in the answer to the person who approves', async () => {
    for (const surface of t.surfaces) {
      const id = idOf(await surface.create(t.first.agent_key, ACTION, PARAMS));
      const approved = await surface.approve(approver, id);
      expectAbsent(approved.text, permitOf(await surface.read(t.first.agent_key, id)), 'approve');
    }
  });

  it('is not in answers about it: verified, refused, misplaced, revoked', async () => {
    const { id, token } = await approvedIntent();
    const bound = { token, action: ACTION, params: PARAMS };
    const answers: Answer[] = [];
    for (const surface of t.surfaces) {
      answers.push(
        await surface.verify(t.first.verifier_key, bound),
        await surface.verify(t.first.verifier_key, { ...bound, action: 'other' }),
        await surface.verify(t.first.verifier_key, { ...bound, token: `${token}x` }),
        await surface.verify(t.first.verifier_key, { ...bound, consume: true }),
        await surface.verify(t.first.verifier_key, { ...bound, consume: true }),
        await surface.create(t.first.agent_key, token),
        await surface.create(t.first.agent_key, 'a', {}, { [token]: token, approvers: [token] }),
      );
    }
    const { secret_key: key } = t.first;
    answers.push(
      await t.call('GET', `/v1/intents/${token}`, { key }),
      await t.call('GET', `/api/intents?cursor=${token.slice(0, 190)}`, { key }),
      await t.call('POST', '/v1/permits/revoke', { key, body: { token, intent_id: id } }),
      await t.call('POST', '/v1/permits/revoke', { key, body: { token, reason: 'because' } }),
    );
    for (const answer of answers) expectAbsent(answer.text, token.slice(0, 100), answer.text.slice(0, 80));
    const events = JSON.stringify(t.written());
    expectAbsent(events, token, 'events');
  });
});
