/** Threat 22: the approvers that a request names narrow what policy asks, and never replace it. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';

export const NARROWED_APPROVERS: readonly CatalogueEntry[] = [
  {
    id: 'T22-named-friend',
    title: 'a requester names who decides, and how many',
    threats: ['22', '2'],
    aisvs: ['9.2.1', '9.5.3'],
    attack:
      'An agent names strangers beside its approver, one approver for two approvals, and then one approver alone.',
    expected:
      '422 with the request’s own names, in one sentence for all. The approver named decides alone, and the others may deny.',
    needs: ['agent', 'decider', 'two people in live mode'],
    async run(range) {
      const live = range.in('live');
      const [named, other] = live.approvers.filter(({ role }) => role === 'approver');
      check(named !== undefined && other !== undefined, 'the needs of this case were checked wrongly');
      const stranger = `${live.name('friend')}@example.org`;
      for (const surface of live.surfaces) {
        const sentences = new Set<unknown>();
        for (const more of [
          { approvers: [stranger] },
          { approvers: [named.email, stranger] },
          { approvers: [named.email], min_approvals: 2 },
        ]) {
          const answer = await surface.create(live.agentKey, live.action('friend'), {}, more);
          expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', 'names that cannot decide', {
            approvers: more.approvers,
          });
          sentences.add((answer.body.error as { message?: unknown }).message);
        }
        check(sentences.size === 1, 'the sentence tells which of the names policy knows');
        const id = await live.newIntent(live.action('friend'), {}, { approvers: [named.email] });
        await live.unchanged(
          'approving though others are named',
          { intents: [id], whole: false, recorded: true },
          async () => {
            const answer = await surface.approve(other.token, id);
            expectRefused(surface.name, answer, 403, 'FORBIDDEN', 'approving though others are named');
          },
        );
        const denied = expectDone(await surface.deny(other.token, id), 'denying though others are named');
        check(denied.body.status === 'denied', 'those who are not named cannot deny', denied);
      }
      return undefined;
    },
  },
];
