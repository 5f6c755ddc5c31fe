/** Threat 4: one vote a person, exactly one resolution, one permit, however many come at once and through which door. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';

export const ONE_PERSON_ONE_VOTE: readonly CatalogueEntry[] = [
  {
    id: 'T04-votes-twice',
    title: 'one person votes four times at once',
    threats: ['4'],
    aisvs: ['9.2.1', '9.2.8'],
    attack:
      'Where two approvals are needed, one person approves on both surfaces at the same moment, ten times over.',
    expected: 'One vote each time, 409 already_voted for the rest; the intent waits for a second person.',
    needs: ['agent', 'manager', 'decider', 'observer'],
    async run({ main, client }) {
      // Whether two can be asked for depends on there being two.
      await main.newMember('approver');
      await client.warmUp(4);
      const key = main.decider;
      for (let round = 0; round < 10; round += 1) {
        const id = await main.newIntent(main.action('quorum'), {}, { min_approvals: 2 });
        const [a, b] = main.surfaces;
        const answers = await Promise.all(
          [a, b, a, b].map(async (surface) => ({ surface, answer: await surface.approve(key, id) })),
        );
        const taken = answers.filter(({ answer }) => answer.status === 200);
        check(
          taken.length === 1,
          `${taken.length} votes of one person were taken`,
          taken[1]?.answer ?? answers[0]?.answer,
        );
        for (const { surface, answer } of answers)
          if (answer.status !== 200)
            expectRefused(surface.name, answer, 409, 'ALREADY_VOTED', 'voting again');
        const read = expectDone(await b.read(main.observer, id), 'reading');
        check(
          read.body.status === 'pending' && read.body.approvals_received === 1,
          `after one person’s votes it is ${String(read.body.status)} with ${String(read.body.approvals_received)} approvals`,
          read,
        );
      }
      return '10 rounds of 4 at once';
    },
  },
  {
    id: 'T04-last-vote',
    title: 'everybody races for the last vote',
    threats: ['4', '5'],
    aisvs: ['9.2.1', '9.2.8'],
    attack: 'All approvers approve at the same instant where one, and where two, are needed.',
    expected: 'So many votes, one resolution, one permit, one intent.approved in the log.',
    needs: ['agent', 'three approvers', 'observer'],
    async run({ main, client }) {
      // An owner may stand behind the agent that requests: their token approves nothing of it.
      const voters = main.approvers.filter(({ role }) => role !== 'owner');
      await client.warmUp(voters.length);
      for (const needed of [1, 2, 1, 2]) {
        const id = await main.newIntent(main.action('race'), {}, { min_approvals: needed });
        const answers = await Promise.all(
          voters.map(async ({ token }, i) => {
            const surface = main.surfaces[(i % 2) as 0 | 1];
            return { surface, answer: await surface.approve(token, id) };
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
            expectRefused(surface.name, answer, 409, 'INTENT_ALREADY_RESOLVED', 'a vote too late');
        const story = await main.story(id);
        const count = (type: string) => story.filter((event) => event === type).length;
        check(
          count('intent.approved') === 1 &&
            count('permit.issued') === 1 &&
            count('approval.recorded') === needed,
          `the log tells of ${story.join(', ')}`,
        );
      }
      return `${voters.length} people`;
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
      return undefined;
    },
  },
];
