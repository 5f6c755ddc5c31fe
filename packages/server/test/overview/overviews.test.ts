/** Overviews of intents that were really created and decided. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { Overviews } from '../../src/gate/overview/overviews.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { approveInPerson } from '../fixtures/approve-in-person.ts';
import { OPERATOR, openTestGate, type Person, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

const POLICY = {
  name: 'p',
  default: { approvers: ['role:approver'] },
  rules: [
    { name: 'free', match: { action: 'read.*' }, effect: 'allow' },
    { name: 'never', match: { action: 'drop.*' }, effect: 'deny' },
    {
      name: 'asked',
      match: { action: 'mail.*' },
      effect: 'require_approval',
      require: [{ from: ['role:approver'], count: 1 }],
    },
  ],
};

let t: TestGate;
let ann: Person;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: POLICY });
});
afterEach(() => t.close());

async function ask(action: string, expiresIn?: number): Promise<string> {
  const lifetime = expiresIn === undefined ? {} : { expiresInSeconds: expiresIn };
  return (await submitIntent(t.gate, t.agent, { action, params: {}, ...lifetime })).intent.id;
}

async function decide(
  intentId: string,
  decision: 'approve' | 'deny',
  seconds: number,
  by = ann,
): Promise<void> {
  t.clock.advance(seconds);
  if (decision === 'approve') await approveInPerson(t.gate, by.userId, intentId);
  else await decideIntent(t.gate, by.caller, { intentId, decision });
}

function read(days = 7, overviews = new Overviews(t.gate)) {
  return overviews.read(t.owner.caller, { projectId: t.projectId, days });
}

it('the overview of an empty project has days with zero counts', async () => {
  const overview = await read(2);
  expect(overview.days).toHaveLength(2);
  expect(overview.days.map(({ day, ...counts }) => counts)).toEqual(
    Array(2).fill({ pending: 0, approved: 0, denied: 0, expired: 0 }),
  );
  expect(overview).toMatchObject({
    sample: { intents: 0, since: null, complete: true },
    timeToDecision: { decided: 0, medianSeconds: null, p95Seconds: null },
    byRule: { top: [], others: 0 },
    expiring: { intents: [], complete: true },
  });
});

it('an overview counts intents and decisions by day, rule, person and requester', async () => {
  await ask('read.file');
  await ask('drop.table');
  await decide(await ask('mail.send'), 'approve', 10);
  await decide(await ask('mail.send'), 'approve', 100);
  await decide(await ask('other'), 'deny', 30, t.owner);
  await withdrawIntent(t.gate, t.agent, await ask('mail.send'));
  const overview = await read();
  const sum = overview.days.reduce((n, d) => n + d.pending + d.approved + d.denied + d.expired, 0);
  expect(sum).toBe(6);
  expect(overview.pending).toBe(0);
  expect(overview.totals).toEqual({
    intents: 6,
    autoApproved: 1,
    autoDenied: 1,
    asked: 4,
    approved: 2,
    denied: 2,
    expired: 0,
  });
  // The withdrawn intent has no decision.
  expect(overview.timeToDecision).toEqual({ decided: 3, medianSeconds: 30, p95Seconds: 100 });
  expect(overview.byRule.top.map(({ rule, intents }) => [rule, intents])).toEqual([
    ['asked', 3],
    // Equal counts: the rule with the latest intent comes first.
    [null, 1],
    ['never', 1],
    ['free', 1],
  ]);
  expect(overview.byPerson.top).toEqual([
    { person: 'ann@example.org', approvals: 2, denials: 0 },
    { person: 'owner@example.org', approvals: 0, denials: 1 },
  ]);
  expect(overview.byRequester.top).toMatchObject([
    { type: 'agent', id: t.agentId, display: 'first-agent', intents: 6, asked: 4 },
  ]);
});

it('an overview counts an intent on the day of its creation, and leaves out days before the period', async () => {
  await ask('read.one');
  t.clock.advance(86_400);
  await ask('read.two');
  t.clock.advance(86_400);
  await ask('read.three');
  await ask('read.four');
  const three = await read(3);
  expect(three.days.map(({ approved }) => approved)).toEqual([1, 1, 2]);
  expect(three.days.at(-1)?.day).toBe(t.gate.clock.now().slice(0, 10));
  const two = await read(2);
  expect(two.days.map(({ approved }) => approved)).toEqual([1, 2]);
  expect(two.totals.intents).toBe(3);
});

it('an overview of too many intents uses the newest, says so, and still counts every day in full', async () => {
  for (let n = 0; n < 3; n++) await ask(`read.${n}`);
  t.clock.advance(5);
  for (let n = 0; n < 4; n++) await decide(await ask('other'), 'approve', 0);
  const overviews = new Overviews(t.gate, { sampleSize: 4, stretchLength: 3 });
  const overview = await read(1, overviews);
  expect(overview.days[0]).toMatchObject({ approved: 7 });
  expect(overview.sample).toMatchObject({ intents: 4, complete: false });
  expect(overview.totals).toMatchObject({ intents: 4, autoApproved: 0, asked: 4 });
});

it('an overview lists pending intents by expiry, without expired ones', async () => {
  const later = await ask('mail.later', 600);
  const soon = await ask('mail.soon', 60);
  const { expiring } = await read();
  expect(expiring.intents.map(({ id }) => id)).toEqual([soon, later]);
  t.clock.advance(61);
  expect((await read()).expiring.intents.map(({ id }) => id)).toEqual([later]);
});

describe('an overview is kept', () => {
  it('for a minute, and computed once for simultaneous reads', async () => {
    const overviews = new Overviews(t.gate);
    const counting = vi.spyOn(t.gate.storage.read, 'listExpiringIntents');
    const [first] = await Promise.all([read(7, overviews), read(7, overviews), read(7, overviews)]);
    expect(counting).toHaveBeenCalledTimes(1);
    await ask('read.more');
    t.clock.advance(59);
    expect(await read(7, overviews)).toBe(first);
    t.clock.advance(1);
    expect((await read(7, overviews)).totals.intents).toBe(1);
  });

  it('only when its computation succeeded', async () => {
    const overviews = new Overviews(t.gate);
    const failing = vi
      .spyOn(t.gate.storage.read, 'listExpiringIntents')
      .mockRejectedValueOnce(new Error('away'));
    await expect(read(7, overviews)).rejects.toThrow('away');
    failing.mockRestore();
    expect((await read(7, overviews)).totals.intents).toBe(0);
  });
});

it('members may read an overview of 1 to 90 whole days, of their own projects only', async () => {
  const overviews = new Overviews(t.gate);
  const viewer = await t.addPerson('vera@example.org', 'viewer');
  await overviews.read(viewer.caller, { projectId: t.projectId, days: 1 });
  for (const caller of [t.agent, t.verifier])
    expect(await refusalOf(overviews.read(caller, { projectId: t.projectId, days: 1 }))).toMatchObject({
      code: 'forbidden',
    });
  for (const days of [0, 91, 1.5])
    expect(await refusalOf(read(days, overviews))).toMatchObject({ code: 'invalid_fields' });
  const { project } = await createProject(t.gate, OPERATOR, {
    name: 'Other',
    mode: 'test',
    ownerEmail: 'bob@example.org',
  });
  expect(await refusalOf(overviews.read(t.owner.caller, { projectId: project.id, days: 1 }))).toMatchObject({
    code: 'project_not_found',
  });
});
