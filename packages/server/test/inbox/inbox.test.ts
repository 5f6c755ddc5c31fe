/** What a person sees of pending requests in the inbox, and of decided ones in the history. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pauseAgent } from '../../src/gate/agents/agent-status.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { stopProject } from '../../src/gate/projects/stop-switch.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { shownHash } from '../fixtures/as-shown.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type InboxApp, openInbox } from './open-inbox.ts';

let t: InboxApp;
let ann: SignedIn;

beforeEach(async () => {
  t = await openInbox();
  ann = await t.addSession('ann@example.org', 'approver');
});
afterEach(() => t.close());

const decide = (id: string, decision: 'approve' | 'deny', who = t.owner.caller) =>
  decideIntent(t.gate, who, { intentId: id, decision });
const approveInPerson = async (id: string, by: SignedIn = ann) =>
  decideIntent(t.gate, await by.caller(), {
    intentId: id,
    decision: 'approve',
    intentHash: await shownHash(t.gate, id),
  });

describe('an inbox item', () => {
  test('shows the action, the explanation, how much text is cut, and who can decide', async () => {
    const id = await t.ask('payments.refund', {
      params: { order: 'A-4711', note: 'x'.repeat(500) },
      metadata: { reason: 'The customer asked for it.' },
      risk_tier: 'medium',
      expires_in: 600,
    });
    const { items, body } = await t.list(ann);
    expect(items).toMatchObject([
      {
        id,
        project_name: 'First',
        mode: 'live',
        status: 'pending',
        action: 'payments.refund',
        params_preview: { text: expect.stringMatching(/^order: "A-4711", note: "xxx/), more: 365 },
        words: { text: 'The customer asked for it.', more: 0 },
        risk_tier: 'medium',
        approvals_required: 1,
        approvals_received: 0,
        missing: [
          { from: ['role:approver'], count: 1, who: ['owner@example.org', 'ann@example.org'], more: 0 },
        ],
        can_decide: true,
        in_place: false,
        own_page: 'cut',
        risk_rated: true,
        intent_hash: await shownHash(t.gate, id),
        why_not: null,
        expires_at: '2026-11-20T12:10:00.000Z',
      },
    ]);
    expect(body).toMatchObject({ pending_total: 1, pending_more: false, next_cursor: null });
    expect(JSON.stringify(body)).not.toContain('permit_token');
  });

  test('shows what has changed since the request was sent, as long as it is pending', async () => {
    const id = await t.ask('deploy');
    const read = async () => (await t.list(ann, `ids=${id}`, '/console/inbox/items')).items;
    const as = { policy_changed: false, project_stopped: false, agent_status: 'active' };
    expect(await read()).toMatchObject([as]);
    await putPolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document: { name: 'other', default: { approvers: ['role:approver'] }, rules: [] },
    });
    expect(await read()).toMatchObject([{ ...as, policy_changed: true }]);
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    await stopProject(t.gate, t.owner.caller, { projectId: t.projectId });
    expect(await read()).toMatchObject([
      { policy_changed: true, project_stopped: true, agent_status: 'paused' },
    ]);
    await decide(id, 'deny');
    expect(await read()).toMatchObject([{ status: 'denied', policy_changed: false, agent_status: null }]);
  });

  test('shows the approvals still needed for each entry, and names at most five people', async () => {
    const { projectId } = t;
    for (let n = 0; n < 7; n += 1) {
      await addMember(t.gate, OPERATOR, { projectId, email: `f${n}@example.org`, role: 'approver' });
    }
    const members = ['ann', ...Array.from({ length: 7 }, (_, n) => `f${n}`)].map((n) => `${n}@example.org`);
    await saveGroup(t.gate, OPERATOR, { projectId, name: 'finance', members });
    const id = await t.ask('payments.payout', {
      approvers: ['finance'],
      min_approvals: 3,
    });
    const before = await t.list(ann);
    expect(before.items[0]).toMatchObject({ approvals_required: 3, missing: [{ count: 3, more: 3 }] });
    await approveInPerson(id);
    const [after] = (await t.list(ann)).items;
    expect(after).toMatchObject({
      approvals_received: 1,
      missing: [{ from: ['finance'], count: 2, more: 2 }],
      can_decide: false,
      why_not: 'already_voted',
    });
    expect(after?.missing[0]?.who).not.toContain('ann@example.org');
    expect(after?.missing[0]?.who).toHaveLength(5);
  });

  test.each([
    ['high', 'none', false],
    ['low', 'passkey', false],
    ['medium', 'session', true],
  ])(
    'with risk %s and proof tier %s can be decided in the list: %s',
    async (risk_tier, proof_tier, inPlace) => {
      await t.known('deploy');
      await t.ask('deploy', { risk_tier, proof_tier });
      expect((await t.list(ann)).items[0]).toMatchObject({ can_decide: true, in_place: inPlace });
    },
  );

  test.each([
    ['nobody', {}, null, false],
    ['the requester', { risk_tier: 'low' }, null, true],
    ['the requester, as medium', { risk_tier: 'medium' }, null, true],
    ['a rule that says low', {}, 'low', true],
    ['a rule that says high', {}, 'high', true],
  ])('says whether its risk was rated (by %s)', async (_who, more, tier, rated) => {
    if (tier !== null) {
      await putPolicy(t.gate, OPERATOR, {
        projectId: t.projectId,
        document: {
          name: 'rated',
          default: { approvers: ['role:approver'] },
          rules: [
            { name: 'rates', match: { action: 'deploy' }, effect: 'require_approval', risk_tier: tier },
          ],
        },
      });
    }
    const id = await t.ask('deploy', { ...more, expires_in: 60 });
    expect((await t.list(ann)).items).toMatchObject([{ risk_rated: rated }]);
    const page = await t.call('GET', `/console/intents/${id}`, { headers: ann.headers });
    expect(page.body.risk_rated).toBe(rated);
    t.clock.advance(61);
    const again = await t.call('POST', `/v1/intents/${id}/ask-again`, { key: t.first.agent_key, body: {} });
    expect(await t.gate.storage.read.findIntent(String(again.body.id))).toMatchObject({ riskRated: rated });
  });

  test('shows a viewer everything, but offers them no decision', async () => {
    await t.ask('deploy');
    const vera = await t.addSession('vera@example.org', 'viewer');
    expect((await t.list(vera)).items).toMatchObject([
      { action: 'deploy', can_decide: false, in_place: false, why_not: 'viewer' },
    ]);
  });

  test('says when only other people can decide', async () => {
    await t.ask('deploy', { approvers: ['owner@example.org'] });
    expect((await t.list(ann)).items).toMatchObject([{ can_decide: false, why_not: 'not_an_approver' }]);
  });
});

describe('the inbox', () => {
  test('lists the newest first, and keeps its pages stable while requests come and go', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await t.ask(`deploy.${n}`));
    const first = await t.list(ann, 'limit=2');
    expect(first.actions).toEqual(['deploy.4', 'deploy.3']);
    await t.ask('deploy.new');
    await decide(String(ids[3]), 'deny');
    await decide(String(ids[1]), 'deny');
    const second = await t.list(ann, `limit=2&cursor=${first.next}`);
    expect(second.actions).toEqual(['deploy.2', 'deploy.0']);
    expect(second.next).toBeNull();
  });

  test('can be sorted by expiry and by risk, and keeps its pages stable while requests come and go', async () => {
    const soon = await t.ask('soon', { expires_in: 600 });
    await t.ask('later', { expires_in: 7200 });
    await t.ask('grave', { risk_tier: 'critical', expires_in: 9000 });
    await t.ask('graver', { risk_tier: 'critical', expires_in: 8000 });
    expect((await t.list(ann)).actions).toEqual(['graver', 'grave', 'later', 'soon']);
    expect((await t.list(ann, 'sort=newest')).actions).toEqual(['graver', 'grave', 'later', 'soon']);
    expect((await t.list(ann, 'sort=expiring')).actions).toEqual(['soon', 'later', 'graver', 'grave']);
    expect((await t.list(ann, 'sort=risk')).actions).toEqual(['graver', 'grave', 'soon', 'later']);

    const first = await t.list(ann, 'sort=expiring&limit=1');
    expect([first.actions, first.next]).toEqual([['soon'], soon]);
    await decide(soon, 'deny');
    await t.ask('soonest', { expires_in: 60 });
    const second = await t.list(ann, `sort=expiring&limit=5&cursor=${first.next}`);
    expect(second.actions).toEqual(['later', 'graver', 'grave']);
    expect((await t.list(ann, 'sort=expiring&action=grave*')).actions).toEqual(['graver', 'grave']);
    for (const wrong of ['sort=oldest', 'sort=']) expect((await t.list(ann, wrong)).status, wrong).toBe(400);
    expect((await t.list(ann, 'sort=newest', '/console/history')).status).toBe(400);
  });

  test('shows no requests of projects where the person is not a member', async () => {
    await t.ask('deploy');
    const other = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'live',
      ownerEmail: 'otto@example.org',
    });
    const otto = await t.gate.storage.read.findUserByEmail('otto@example.org');
    const stranger = await signedIn(t.gate, String(otto?.id));
    expect(await t.list(stranger)).toMatchObject({ items: [], body: { pending_total: 0 } });
    expect((await t.list(stranger, `project=${t.projectId}`)).status).toBe(404);
    expect((await t.list(ann, `project=${other.project.id}`)).status).toBe(404);
    const [mine] = (await t.list(ann)).items;
    expect((await t.list(stranger, `cursor=${mine?.id}`)).items).toEqual([]);
  });

  test('is empty for a removed member on the very next call', async () => {
    await t.ask('deploy');
    const { user } = await ann.caller();
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: user.id });
    expect((await t.list(ann)).items).toEqual([]);
  });

  test('lists no expired requests, which the history shows', async () => {
    await t.ask('deploy.short', { expires_in: 60 });
    await t.ask('deploy.long');
    t.clock.advance(60);
    expect(await t.list(ann)).toMatchObject({ actions: ['deploy.long'], body: { pending_total: 1 } });
    expect(await t.list(ann, 'status=expired', '/console/history')).toMatchObject({
      actions: ['deploy.short'],
    });
  });

  test('applies filters, alone and combined', async () => {
    await t.ask('deploy.web');
    await t.ask('mail.send', { risk_tier: 'high', approvers: ['owner@example.org'] });
    await t.ask('deploy.api');
    const display = (await t.list(ann)).items[0]?.requester.display ?? '';
    const all = ['deploy.api', 'mail.send', 'deploy.web'];
    const found: [query: string, actions: string[]][] = [
      ['', all],
      ['action=deploy.web', ['deploy.web']],
      ['action=deploy.*', ['deploy.api', 'deploy.web']],
      ['action=deploy', []],
      ['risk_tier=high', ['mail.send']],
      [`source=${encodeURIComponent(display.toUpperCase())}`, all],
      [`source=${encodeURIComponent(display.slice(1))}`, []],
      ['q=MAIL', ['mail.send']],
      [`q=${encodeURIComponent(display.slice(1))}`, all],
      ['q=no-such', []],
      ['can_decide=true', ['deploy.api', 'deploy.web']],
      ['can_decide=false', ['mail.send']],
      ['action=deploy.*&q=api&can_decide=true', ['deploy.api']],
    ];
    for (const [query, actions] of found) expect((await t.list(ann, query)).actions, query).toEqual(actions);
  });

  test('can be searched by request ID, and filtered by project', async () => {
    const id = await t.ask('deploy.web');
    await t.ask('deploy.api');
    expect((await t.list(ann, `q=${id.slice(-12).toUpperCase()}`)).actions).toEqual(['deploy.web']);
    expect((await t.list(ann, `project=${t.projectId}`)).actions).toEqual(['deploy.api', 'deploy.web']);
  });

  test('can be searched by parameters, ignoring case, and so can the history', async () => {
    const params = { order: 'A-4711', lines: [{ note: 'said "Grüße"', cents: 12050 }] };
    const id = await t.ask('payments.refund', { params });
    await t.ask('payments.payout', { params: { order: 'A-4712' } });
    for (const q of ['a-4711', 'LINES', 'GRÜßE', 'said "Gr', '12050', 'cents'])
      expect((await t.list(ann, `q=${encodeURIComponent(q)}`)).actions, q).toEqual(['payments.refund']);
    expect((await t.list(ann, 'q=A-471')).actions).toEqual(['payments.payout', 'payments.refund']);
    expect((await t.list(ann, 'q=A-471&action=payments.payout')).actions).toEqual(['payments.payout']);
    expect((await t.list(ann, 'q=A-4713')).actions).toEqual([]);
    await decide(id, 'deny');
    expect((await t.list(ann, 'q=a-4711', '/console/history')).actions).toEqual(['payments.refund']);
  });

  test('ends a page early when a search reads long parameters, and finds every match on later pages', async () => {
    const wanted = await t.ask('needle', { params: { text: 'x'.repeat(200_000), order: 'A-4711' } });
    for (let n = 0; n < 12; n += 1) await t.ask('hay', { params: { text: 'x'.repeat(200_000) } });
    const read: number[] = [];
    t.reads.readParams = (ids) => {
      read.push(ids.length);
      return t.gate.storage.read.readParams(ids);
    };
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await t.list(ann, `q=A-4711${cursor === '' ? '' : `&cursor=${cursor}`}`);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(read).toEqual([5, 5, 3]);
    expect(found).toEqual([wanted]);
  });

  test('refuses invalid filters', async () => {
    const wrong = [
      'limit=0',
      'limit=201',
      'cursor=nonsense',
      'risk_tier=huge',
      'can_decide=yes',
      'x=1',
      'q=',
    ];
    for (const query of wrong) expect((await t.list(ann, query)).status, query).toBe(400);
  });

  test('ends a page early when few requests match a filter, and finds every match on later pages', async () => {
    const wanted = await t.ask('needle');
    for (let n = 0; n < 420; n += 1) await t.ask('hay', { approvers: ['owner@example.org'] });
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const page = await t.list(ann, `can_decide=true${cursor === '' ? '' : `&cursor=${cursor}`}`);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect([found, pages]).toEqual([[wanted], 2]);
  });

  test('counts pending requests up to a thousand', async () => {
    t.reads.countInbox = async (_projects, most) => most;
    expect((await t.list(ann)).body).toMatchObject({ pending_total: 1000, pending_more: true });
  });

  test('is refused to agents and to callers who are not signed in, as are the history and the stream', async () => {
    const paths = ['/console/inbox', '/console/history', '/console/stream'];
    for (const path of paths) {
      expect((await t.call('GET', path)).status).toBe(401);
      expect((await t.call('GET', path, { key: t.first.agent_key })).status).toBe(403);
    }
  });
});

describe('inbox items read by ID', () => {
  const items = (ids: string, who = ann) => t.list(who, `ids=${ids}`, '/console/inbox/items');

  test('are current, in the requested order, and only from the person’s own projects', async () => {
    const a = await t.ask('deploy.a');
    const b = await t.ask('deploy.b', { expires_in: 60 });
    await decide(a, 'deny');
    t.clock.advance(60);
    const { items: found } = await items(`${b},int_0,${a},${b}`);
    expect(found).toMatchObject([
      { id: b, status: 'expired', why_not: 'resolved' },
      { id: a, status: 'denied', resolved_by: 'owner@example.org' },
    ]);
    await createProject(t.gate, OPERATOR, { name: 'Other', mode: 'live', ownerEmail: 'otto@example.org' });
    const otto = await t.gate.storage.read.findUserByEmail('otto@example.org');
    expect((await items(`${a},${b}`, await signedIn(t.gate, String(otto?.id)))).items).toEqual([]);
  });

  test('are limited to fifty per call', async () => {
    expect((await items(Array.from({ length: 51 }, (_, n) => `int_${n}`).join())).status).toBe(400);
  });
});

describe('the history', () => {
  const history = (query = '') => t.list(ann, query, '/console/history');

  test('goes back to the first decision, page by page, and can be filtered', async () => {
    const start = t.clock.now();
    for (const [action, decision] of [
      ['deploy.a', 'approve'],
      ['deploy.b', 'deny'],
      ['mail.c', 'approve'],
    ] as const) {
      const id = await t.ask(action);
      if (decision === 'approve') await approveInPerson(id, await signedIn(t.gate, t.owner.userId));
      else await decide(id, decision);
      t.clock.advance(60);
    }
    await approveInPerson(await t.ask('mail.d'));
    await t.ask('still.open');

    const all: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await history(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      all.push(...page.actions);
      cursor = page.next;
    }
    expect(all).toEqual(['mail.d', 'mail.c', 'deploy.b', 'deploy.a']);
    expect((await history('status=denied')).actions).toEqual(['deploy.b']);
    expect((await history('action=mail.*')).actions).toEqual(['mail.d', 'mail.c']);
    expect((await history('decider=ANN')).actions).toEqual(['mail.d']);
    expect((await history(`from=${encodeURIComponent(t.clock.now())}`)).actions).toEqual(['mail.d']);
    expect(
      (await history(`from=${start}&to=${encodeURIComponent('2026-11-20T12:02:00.000Z')}`)).actions,
    ).toEqual(['deploy.b', 'deploy.a']);
    expect((await history('from=yesterday')).status).toBe(400);
    expect((await history('decider=ann')).items[0]).toMatchObject({
      status: 'approved',
      resolved_by: 'ann@example.org',
      approvals: [{ by: 'ann@example.org', method: 'session' }],
      missing: [],
      can_decide: false,
      why_not: 'resolved',
    });
  });
});
