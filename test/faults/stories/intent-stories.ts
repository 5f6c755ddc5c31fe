/** Every possible life of an intent, as stories that repeat. */
import { collect, consume, create, redeem, report, revoke, vote, withdraw } from './intent-steps.ts';
import type { Storyteller } from './storyteller.ts';

const TWO = { approvers: ['role:approver'], min_approvals: 2 };

export const INTENT_STORIES: readonly ((t: Storyteller) => Promise<void>)[] = [
  async function approvedAndUsed(t) {
    const intent = await create(t, 'payments.refund');
    await vote(t, intent, t.random.pick(t.cast.approvers), 'approve');
    await consume(t, intent);
    await report(t, intent);
  },
  async function approvedByTwo(t) {
    const intent = await create(t, 'payments.payout', TWO);
    const [ann, ben] = two(t);
    await vote(t, intent, ann, 'approve');
    await vote(t, intent, ben, 'approve');
    await consume(t, intent);
  },
  async function approvedByTwoAtOnce(t) {
    const intent = await create(t, 'payments.payout', TWO);
    await Promise.all(two(t).map((by) => vote(t, intent, by, 'approve')));
    await consume(t, intent);
    await report(t, intent);
  },
  async function oneYesOneNo(t) {
    const intent = await create(t, 'payments.payout', TWO);
    const [ann, ben] = two(t);
    await vote(t, intent, ann, 'approve');
    await vote(t, intent, ben, 'deny');
  },
  async function denied(t) {
    await vote(t, await create(t, 'database.drop'), t.random.pick(t.cast.approvers), 'deny');
  },
  async function withdrawn(t) {
    await withdraw(t, await create(t, 'deploy.production'));
  },
  async function revoked(t) {
    const intent = await create(t, 'deploy.production');
    await vote(t, intent, t.random.pick(t.cast.approvers), 'approve');
    await revoke(t, intent);
  },
  async function usedLate(t) {
    const intent = await create(t, 'files.delete');
    await vote(t, intent, t.random.pick(t.cast.approvers), 'approve');
    await redeem(t, intent);
    await consume(t, intent);
    await revoke(t, intent);
  },
  async function approvedByRule(t) {
    const intent = await create(t, 'auto.mail');
    if (t.random.chance(0.5)) await consume(t, intent);
  },
  async function deniedByRule(t) {
    await create(t, 'never.ever');
  },
  async function leftOpen(t) {
    await create(t, 'iam.grant');
  },
  expired,
];

/** Nobody decides the intent in time. The gate records the expiry a while later. */
async function expired(t: Storyteller): Promise<void> {
  const intent = await create(t, 'iam.grant', { expires_in: 1 });
  if (t.random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, 1100));
  await collect(t, intent);
}

/** Stories after whose last answer nothing happens on its own. */
export const TIMELESS_STORIES = INTENT_STORIES.filter((story) => story !== expired);

function two(t: Storyteller) {
  const [first, ...others] = t.random.chance(0.5) ? t.cast.approvers : t.cast.approvers.toReversed();
  const [second] = others;
  if (!first || !second) throw new Error('a quorum of two takes two people');
  return [first, second] as const;
}
