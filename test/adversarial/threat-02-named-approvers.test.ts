/** Threat 2: who approves is taken from the credential. A name in body, header, query or cookie is refused or idle. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMING_PROPERTIES } from '../../attack/tables/naming-properties.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { OWNER_EMAIL } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

let t: Arena;
let ann: Person;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  await t.putPolicy({ approvers: ['role:approver'], programs: true });
  ann = await t.addPerson('ann@example.org', 'approver');
});
afterAll(() => t.close());

describe.each([0, 1] as const)('surface %#', (which) => {
  const newIntent = async () =>
    idOf(await t.surfaces[which].create(t.first.agent_key, 'payments.refund', { amount: 5 }));

  it.each(NAMING_PROPERTIES)(
    'a body member %s is refused as unknown, and nobody has voted',
    async (member) => {
      const surface = t.surfaces[which];
      const id = await newIntent();
      const named = { [member]: OWNER_EMAIL };
      const attempts: (readonly [string, string, object])[] =
        surface.name === 'A'
          ? [
              ['PATCH', `/api/intents/${id}`, { decision: 'approve', ...named }],
              ['PATCH', `/api/intents/${id}`, { decision: 'deny', ...named }],
            ]
          : [
              ['POST', `/v1/intents/${id}/approve`, named],
              ['POST', `/v1/intents/${id}/deny`, named],
            ];
      for (const [method, path, body] of attempts) {
        const answer = await t.expectUnchanged(() => t.call(method, path, { key: ann.token, body }));
        expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', {
          fields: [{ path: `/${member}`, message: expect.stringContaining('not a known member') }],
        });
      }
    },
  );

  it('headers and cookie that name somebody else have no effect, and a query is refused', async () => {
    const surface = t.surfaces[which];
    const id = await newIntent();
    const headers = {
      'x-forwarded-user': OWNER_EMAIL,
      'x-forwarded-email': OWNER_EMAIL,
      'x-remote-user': OWNER_EMAIL,
      'x-user-id': t.owner.userId,
      'x-approved-by': OWNER_EMAIL,
      'x-permitry-actor': OWNER_EMAIL,
      from: OWNER_EMAIL,
      cookie: `user=${OWNER_EMAIL}; session=${t.owner.token}`,
    };
    const query = `?approved_by=${OWNER_EMAIL}&user_id=${t.owner.userId}`;
    const approve = (more: string) =>
      surface.name === 'A'
        ? t.call('PATCH', `/api/intents/${id}${more}`, {
            key: ann.token,
            headers,
            body: { decision: 'approve' },
          })
        : t.call('POST', `/v1/intents/${id}/approve${more}`, { key: ann.token, headers, body: {} });
    expectRefused(surface.name, await t.expectUnchanged(() => approve(query)), 400, 'INVALID_FIELDS', {
      fields: [{ path: '/approved_by' }, { path: '/user_id' }],
    });
    const answer = await approve('');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: 'approved', resolved_by: 'ann@example.org' });
    const votes = t.rowsOf('approvals', id);
    expect(votes).toMatchObject([{ user_id: ann.userId, by: 'ann@example.org', method: 'token' }]);
  });

  it('an intent cannot be born decided, for somebody else, or elsewhere', async () => {
    const surface = t.surfaces[which];
    for (const [member, value] of [
      ['status', 'approved'],
      ['decision', 'auto_approve'],
      ['approved_by', OWNER_EMAIL],
      ['approvals', [{ by: OWNER_EMAIL }]],
      ['requester', t.agentId],
      ['agent_id', t.agentId],
      ['project_id', t.projectId],
      ['id', 'int_00000000000000000000000000'],
      ['policy_hash', `sha256:${'0'.repeat(64)}`],
      ['permit_ttl', 3600],
      ['approvals_required', 0],
    ] as const) {
      const answer = await t.expectUnchanged(() =>
        surface.create(t.first.agent_key, 'payments.refund', {}, { [member]: value }),
      );
      expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', { fields: [{ path: `/${member}` }] });
    }
  });

  it('names that stand for nobody, or cannot suffice, are refused with all names of the request', async () => {
    const surface = t.surfaces[which];
    for (const approvers of [
      ['nobody@example.org'],
      ['role:viewer'],
      ['role:agent'],
      ['*'],
      [t.agentId],
      ['first-agent'],
      [`${t.projectId}`],
      ['ann@example.org', 'nobody@example.org'],
    ]) {
      const answer = await t.expectUnchanged(() =>
        surface.create(t.first.agent_key, 'payments.refund', {}, { approvers }),
      );
      expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', { approvers });
    }
  });
});
