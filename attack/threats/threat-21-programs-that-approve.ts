/**
 * Threat 21: in live mode, a program approves only where policy allows it, and never if the same person is behind
 * requester and approver.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';

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
            { intents: [id], whole: false, recorded: 3 },
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
    },
  },
  {
    id: 'T21-places',
    title: 'programs in places that policy keeps for people',
    threats: ['21'],
    aisvs: ['9.2.1', '9.5.1'],
    attack:
      'A person’s token approves where no entry says programs, in the place of another entry, and before policy came to say so; programs of several people race for one place.',
    expected:
      '403 that asks for a person; a program’s vote counts where an entry says programs, then and at use, and one place is filled once.',
    needs: [
      'agent',
      'verifier',
      'observer',
      'somebody who signs in',
      'two people in live mode',
      'project-wide',
    ],
    async run(range) {
      const live = range.in('live');
      const bob = live.findSignIn;
      const admin = live.managingPerson;
      check(bob !== undefined && admin !== undefined, 'the needs of this case were checked wrongly');
      const atBrowser = await live.signIn();
      const inPerson = async (headers: { headers?: Record<string, string> }, id: string) => {
        const { intent_hash } = (await live.call('GET', `/console/intents/${id}`, headers)).body;
        return live.call('POST', `/v1/intents/${id}/approve`, { ...headers, body: { intent_hash } });
      };
      const action = live.action('places');
      const under = <T>(require: readonly object[], work: () => Promise<T>) =>
        live.withRules([{ name: action, match: { action }, effect: 'require_approval', require }], work);
      const people = { from: ['role:approver'], count: 1 };
      for (const surface of live.surfaces) {
        const ask = () => live.newIntent(action, {}, { via: surface });
        const expectPerson = async (key: string, id: string) => {
          const watched = { intents: [id], whole: false, recorded: 1 };
          await live.unchanged('a program in a person’s place', watched, async () => {
            const required = { required: 'person' };
            expectRefused(
              surface.name,
              await surface.approve(key, id),
              403,
              'FORBIDDEN',
              'a program',
              required,
            );
          });
        };
        const expectStatusOf = (answer: Answer, status: string, received?: number) => {
          const { status: came, approvals_received } = expectDone(answer, 'approving').body;
          const isCounted = received === undefined || approvals_received === received;
          check(came === status && isCounted, `it is ${came} with ${approvals_received}`, answer);
        };
        await under([people], async () => {
          const id = await ask();
          await expectPerson(bob.token, id);
          expectStatusOf(await inPerson({ headers: atBrowser }, id), 'approved');
        });
        const places = [
          { from: [bob.email], count: 1, programs: true },
          { from: [admin.email], count: 1 },
        ];
        await under(places, async () => {
          const id = await ask();
          expectStatusOf(await surface.approve(bob.token, id), 'pending', 1);
          await expectPerson(admin.token, id);
          expectStatusOf(await inPerson(await live.managing(), id), 'approved');
        });
        const { id: used, shown } = await live.newPermit({ action });
        await under([people], () =>
          live.unchanged('a vote that no longer counts', { intents: [used], whole: false }, async () => {
            for (const consume of [false, true]) {
              const answer = await surface.verify(live.verifierKey, { ...shown, consume });
              expectInvalidPermit(surface.name, answer, 'policy_changed', 'a program’s vote');
            }
          }),
        );
        const use = await surface.verify(live.verifierKey, { ...shown, consume: true });
        check(use.body.consumed === true, 'it cannot be used once programs may approve again', use);
        const quorum = await under([{ ...people, count: 2, programs: true }], async () => {
          const id = await ask();
          expectStatusOf(await surface.approve(bob.token, id), 'pending');
          return id;
        });
        await under([{ ...people, count: 2 }], async () => {
          expectStatusOf(await inPerson(await live.managing(), quorum), 'pending');
          // The same person, in a session, replaces the approval by their program.
          const last = await inPerson({ headers: atBrowser }, quorum);
          expectStatusOf(last, 'approved', 2);
        });
        expectDone(await surface.deny(bob.token, await ask()), 'denying by a program');
      }
      const agent = await live.newAgent();
      for (let round = 0; round < 10; round += 1) {
        const id = await live.newIntent(action, {}, { key: agent.key });
        const keys = [bob.token, admin.token, ...live.approvers.map(({ token }) => token)];
        const votes = keys.map((key, i) => live.surfaces[(i % 2) as 0 | 1].approve(key, id));
        const taken = (await Promise.all(votes)).filter(({ status }) => status === 200);
        check(taken.length === 1, `${taken.length} programs filled one place`, taken[1]);
        // The admin owns the agent: their token is refused, and the log says so.
        const story = (await live.story(id)).filter((type) => type !== 'access.refused').join();
        const expected = 'intent.created,approval.recorded,intent.approved,permit.issued';
        check(story === expected, `the log tells of ${story}`);
      }
    },
  },
];
