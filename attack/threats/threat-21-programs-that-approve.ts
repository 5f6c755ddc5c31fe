/** Threat 21: in live mode a program approves only where policy says so, and never for a common person. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';

export const PROGRAMS_THAT_APPROVE: readonly CatalogueEntry[] = [
  {
    id: 'T21-common-person',
    title: 'two programs of one person approve each other',
    threats: ['21', '3'],
    aisvs: ['9.2.1', '9.5.3'],
    attack:
      'One secret key of an admin asks; another one and the admin’s token approve, and the other way round.',
    expected: '403 that asks for a person, for approvals; nothing changed. A denial is taken.',
    needs: ['two people in live mode'],
    async run(range) {
      const live = range.in('live');
      const admin = live.managingPerson;
      check(admin !== undefined, 'the needs of this case were checked wrongly');
      const one = await live.newKey({ kind: 'secret' });
      const two = await live.newKey({ kind: 'secret' });
      for (const surface of live.surfaces) {
        for (const [asking, approving] of [
          [one, two],
          [two, one],
        ] as const) {
          const id = await live.newIntent(live.action('mutual'), {}, { key: asking.key });
          await live.unchanged(
            'approving for a common person',
            { intents: [id], whole: false, recorded: true },
            async () => {
              for (const program of [approving.key, asking.key, admin.token]) {
                const answer = await surface.approve(program, id);
                expectRefused(surface.name, answer, 403, 'FORBIDDEN', 'approving for a common person', {
                  required: 'person',
                });
              }
            },
          );
          expectDone(await surface.deny(approving.key, id), 'denying what one’s own program asked for');
        }
      }
      return undefined;
    },
  },
];
