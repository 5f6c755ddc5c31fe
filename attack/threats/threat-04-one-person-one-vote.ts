/**
 * Threat 4: each person has one vote, and each request has one resolution and one permit. This holds for any number of
 * concurrent calls, on both surfaces.
 */

import { decodePermit } from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused, permitOf } from '../range/expect.ts';
import type { Stage } from '../range/stage.ts';
import type { Surface } from '../range/surfaces.ts';

/** All credentials with which each person can vote. If the keys file names no secret keys, those of one person. */
async function keysOfVoters(main: Stage): Promise<readonly (readonly string[])[]> {
  const named = main.approvers.flatMap(({ token, secret_key: key }) => (key ? [[token, key]] : []));
  if (named.length > 0) return named;
  const { token } = main.managingPerson ?? {};
  // A key belongs to the person who creates it.
  return token ? [[token, (await main.newKey({ kind: 'secret' })).key]] : [];
}

export const ONE_PERSON_ONE_VOTE: readonly CatalogueEntry[] = [
  {
    id: 'T04-votes-twice',
    title: 'one person votes four times at once',
    threats: ['4'],
    aisvs: ['9.2.1', '9.2.8'],
    attack:
      'Where two approvals are needed, one person approves with a token and a key, on both surfaces at the same moment, twenty times over, and again later.',
    expected: 'One vote each time, 409 already_voted for the rest; the intent waits for a second person.',
    needs: ['agent', 'manager', 'decider', 'observer'],
    async run({ main, client }) {
      // A request can require two approvers only if there are two.
      await main.newMember('approver');
      await client.warmUp(4);
      const voters = await keysOfVoters(main);
      for (let round = 0; round < 20; round += 1) {
        const keys = voters[round % voters.length] ?? [main.decider];
        const id = await main.newIntent(main.action('quorum'), {}, { min_approvals: 2 });
        const [a, b] = main.surfaces;
        const voteWith = async (surface: Surface, key = main.decider) => ({
          surface,
          answer: await surface.approve(key, id),
        });
        const [one, two] = [keys[0], keys.at(-1)];
        const answers = await Promise.all([
          voteWith(a, one),
          voteWith(b, two),
          voteWith(b, one),
          voteWith(a, two),
        ]);
        const taken = answers.filter(({ answer }) => answer.status === 200);
        check(
          taken.length === 1,
          `${taken.length} votes of one person were taken`,
          taken[1]?.answer ?? answers[0]?.answer,
        );
        for (const { surface, answer } of answers)
          if (answer.status !== 200)
            expectRefused(surface.name, answer, 409, 'ALREADY_VOTED', 'voting again');
        await main.unchanged('voting again later', { intents: [id], whole: false }, async () => {
          for (const key of keys) {
            const { surface, answer } = await voteWith(main.surfaces[(round % 2) as 0 | 1], key);
            expectRefused(surface.name, answer, 409, 'ALREADY_VOTED', 'voting again later');
          }
        });
        const read = expectDone(await b.read(main.observer, id), 'reading');
        const { status, approvals_received: received, approvals_required: required } = read.body;
        check(
          status === 'pending' && received === 1 && required === 2,
          `after one person’s votes it is ${status} with ${received} of ${required} approvals`,
          read,
        );
        const story = await main.story(id);
        check(story.join() === 'intent.created,approval.recorded', `the log tells of ${story.join(', ')}`);
      }
      return '20 rounds of 4 at once';
    },
  },
  {
    id: 'T04-last-vote',
    title: 'everybody races for the last vote',
    threats: ['4', '5'],
    aisvs: ['9.2.1', '9.2.8'],
    attack:
      'All approvers approve at the same instant, with tokens and secret keys, where one, two, five or twenty are needed; five times over.',
    expected: 'So many votes, one resolution, one permit, one intent.approved in the log.',
    needs: ['agent', 'three approvers', 'observer'],
    async run({ main, client }) {
      // An owner may be responsible for the requesting agent, and then the owner's token cannot approve the agent's
      // requests.
      const voters = main.approvers.filter(({ role }) => role !== 'owner');
      await client.warmUp(voters.length);
      const needs = [1, 2, 5, 20];
      for (let round = 0; round < 5 * needs.length; round += 1) {
        const needed = Math.min(voters.length, needs[round % needs.length] ?? 1);
        const id = await main.newIntent(main.action('race'), {}, { min_approvals: needed });
        const answers = await Promise.all(
          voters.map(async ({ token, secret_key = token }, i) => {
            const surface = main.surfaces[((i + round) % 2) as 0 | 1];
            const key = (i + round) % 3 === 0 ? secret_key : token;
            return { surface, answer: await surface.approve(key, id) };
          }),
        );
        const taken = answers.filter(({ answer }) => answer.status === 200);
        check(
          taken.length === needed,
          `${needed} needed, ${taken.length} votes taken`,
          taken.at(-1)?.answer ?? answers[0]?.answer,
        );
        for (const { surface, answer } of answers)
          if (answer.status !== 200)
            expectRefused(surface.name, answer, 409, 'INTENT_ALREADY_RESOLVED', 'a vote too late', {
              status: 'approved',
            });
        const story = await main.story(id);
        const votes = Array.from({ length: needed }, () => 'approval.recorded');
        const expected = ['intent.created', ...votes, 'intent.approved', 'permit.issued'];
        check(story.join() === expected.join(), `the log tells of ${story.join(', ')}`);
        const resolved = taken.filter(({ answer }) => answer.body.status === 'approved');
        check(resolved.length === 1, `${resolved.length} votes were the last`);
        const token = permitOf(await main.surfaces[0].read(main.agentKey, id));
        const decoded = decodePermit(token, { mode: main.mode });
        const by = decoded.ok ? new Set(decoded.claims.approval.by).size : 0;
        check(by === needed, `the permit names ${by} people`);
      }
      return `${voters.length} people, 20 rounds`;
    },
  },
  {
    id: 'T04-turned-vote',
    title: 'a denial that is approved again',
    threats: ['4', '5'],
    aisvs: ['9.2.1'],
    attack: 'What was denied is approved later, by the same person and by others, on both surfaces.',
    expected: '409 intent_already_resolved; denied for good, without a permit.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main }) {
      for (const surface of main.surfaces) {
        const id = await main.newIntent();
        expectDone(await surface.deny(main.decider, id), 'denying');
        await main.unchanged('approving what was denied', { intents: [id], whole: false }, async () => {
          for (const key of [main.decider, ...main.approvers.map(({ token }) => token)]) {
            for (const again of main.surfaces)
              expectRefused(
                again.name,
                await again.approve(key, id),
                409,
                'INTENT_ALREADY_RESOLVED',
                'approving what was denied',
              );
          }
        });
        const redeemed = await main.call('POST', `/v1/intents/${id}/permit`, {
          key: main.agentKey,
          body: {},
        });
        check(redeemed.status >= 400, 'a denied intent has a permit', redeemed);
      }
    },
  },
  {
    id: 'T04-denial-in-the-race',
    title: 'a denial among many approvals',
    threats: ['4', '5'],
    aisvs: ['9.2.1'],
    attack: 'All approvers decide at the same instant; one of them denies.',
    expected: 'One outcome, which one answer tells; no permit beside a denial.',
    needs: ['agent', 'three approvers', 'observer'],
    async run({ main, client }) {
      const voters = main.approvers.filter(({ role }) => role !== 'owner');
      await client.warmUp(voters.length);
      for (let round = 0; round < 10; round += 1) {
        const id = await main.newIntent(
          main.action('race'),
          {},
          { min_approvals: Math.min(voters.length - 1, 15) },
        );
        const [a, b] = main.surfaces;
        const answers = await Promise.all(
          voters.map(({ token }, i) =>
            i === round % voters.length ? a.deny(token, id) : b.approve(token, id),
          ),
        );
        const read = await a.read(main.agentKey, id);
        const story = await main.story(id);
        const ends = story.filter((type) => type === 'intent.approved' || type === 'intent.denied');
        check(ends.join() === `intent.${String(read.body.status)}`, `the log tells of ${story.join()}`, read);
        const isApproved = read.body.status === 'approved';
        check('permit_token' in read.body === isApproved, `a permit of what is ${read.body.status}`, read);
        const resolving = answers.filter(({ status, body }) => status === 200 && body.status !== 'pending');
        check(resolving.length === 1, `${resolving.length} answers say that they resolved it`, resolving[0]);
      }
    },
  },
  {
    id: 'T04-one-place',
    title: 'one person in two groups, and a vote turned into a denial',
    threats: ['4'],
    aisvs: ['9.2.1', '9.2.8'],
    attack:
      'Where each of two groups has to approve, somebody in both approves alone; an approver of three denies after all.',
    expected:
      'One person fills one place, and a colleague from either group the other; the denial denies, for good.',
    needs: ['agent', 'manager', 'three approvers', 'observer', 'project-wide'],
    async run({ main }) {
      const [both, one, two] = main.approvers.filter(({ role }) => role === 'approver');
      check(both && one && two, 'the needs of this case were checked wrongly');
      const groups = [main.name('group'), main.name('group')];
      for (const [index, name] of groups.entries()) {
        const members = [both.email, (index === 0 ? one : two).email];
        expectDone(await main.manage('POST', '/groups', { name, members }), 'making a group');
        main.takeBack(() => main.manage('DELETE', `/groups/${name}`));
      }
      const action = main.action('groups');
      const require = groups.map((group) => ({ from: [group], count: 1, programs: true }));
      const rule = { name: action, match: { action }, effect: 'require_approval', require };
      await main.withRules([rule], async () => {
        for (const [surface, colleague] of [
          [main.surfaces[0], one],
          [main.surfaces[1], two],
        ] as const) {
          const id = await main.newIntent(action);
          const first = await surface.approve(both.token, id);
          const { status, approvals_received } = first.body;
          check(status === 'pending' && approvals_received === 1, 'one person fills two places', first);
          const again = await surface.approve(both.token, id);
          expectRefused(surface.name, again, 409, 'ALREADY_VOTED', 'voting again');
          // The approver who is in both groups counts for the other group, so a colleague from either group completes
          // the quorum.
          const last = await surface.approve(colleague.token, id);
          check(last.body.status === 'approved', 'a colleague does not complete it', last);
        }
      });
      for (const surface of main.surfaces) {
        const id = await main.newIntent(main.action('turned'), {}, { min_approvals: 3 });
        for (const { token } of [both, one]) expectDone(await surface.approve(token, id), 'approving');
        const denied = expectDone(await surface.deny(both.token, id), 'denying after all');
        const { status, resolved_by } = denied.body;
        check(status === 'denied' && resolved_by === both.email, 'it is not denied by them', denied);
        await main.unchanged('turning it back', { intents: [id], whole: false }, async () => {
          const again = await surface.approve(both.token, id);
          const extra = { status: 'denied' };
          expectRefused(surface.name, again, 409, 'INTENT_ALREADY_RESOLVED', 'turning it back', extra);
        });
        check(!(await main.story(id)).includes('permit.issued'), 'a permit was issued');
      }
    },
  },
];
