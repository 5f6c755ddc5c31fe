/** Threat 22: the approvers that a request names narrow the policy's choice, and never replace it. */
import type { CatalogueEntry } from '../attack-case.ts';
import type { PersonKeys } from '../keys-file.ts';
import { check, expectDone, expectInvalidPermit, expectRefused, permitOf } from '../range/expect.ts';
import { NotProvided } from '../undefended.ts';

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
        const position = live.inside?.position() ?? 0;
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
        check((live.inside?.written(position) ?? []).length === 0, 'it is in the log');
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
    },
  },
  {
    id: 'T22-narrowing',
    title: 'a requester names its friends, where policy asks certain groups',
    threats: ['22', '2'],
    aisvs: ['9.2.1', '9.5.3'],
    attack:
      'Policy asks finance, or finance and security. An agent names a friend, one of them for both, fewer than are asked for, and names where it may name nobody.',
    expected:
      '422 with the request’s own names, in one sentence for all that says no group. Names narrow each entry by itself; those not named see it, and deny.',
    needs: ['agent', 'manager', 'three approvers', 'verifier', 'observer', 'project-wide'],
    async run({ main }) {
      const [ann, bob, cem, friend] = main.approvers.filter(({ role }) => role === 'approver');
      if (!ann || !bob || !cem || !friend) throw new NotProvided('four approvers with tokens (people)');
      const group = async (members: readonly PersonKeys[]) => {
        const name = main.name('group');
        const body = { name, members: members.map(({ email }) => email) };
        expectDone(await main.manage('POST', '/groups', body), 'making a group');
        main.takeBack(() => main.manage('DELETE', `/groups/${name}`));
        return name;
      };
      const [finance, security] = [await group([ann, bob]), await group([cem])];
      const { body } = await main.manage('GET', '/policies');
      const document = body.policy as { default: object };
      const put = (policy: object) => main.manage('PUT', '/policies', policy);
      main.takeBack(() => put(document));
      /** Runs the work under a policy with this default. */
      const under = async (fallback: object, work: () => Promise<void>, more: object = {}) => {
        const policy = { ...document, default: { ...fallback, programs: true }, ...more };
        expectDone(await put(policy), 'saving a policy');
        await work();
        expectDone(await put(document), 'putting it back');
      };
      const action = main.action('narrow');
      const sentences = new Set<unknown>();
      for (const surface of main.surfaces) {
        const ask = (more: object) => main.newIntent(action, {}, { via: surface, ...more });
        const refuse = (...attempts: readonly { approvers?: string[]; min_approvals?: number }[]) =>
          main.unchanged('names that do not suffice', {}, async () => {
            for (const more of attempts) {
              const answer = await surface.create(main.agentKey, action, {}, more);
              const extra = { approvers: more.approvers ?? [] };
              expectRefused(surface.name, answer, 422, 'APPROVER_NOT_FOUND', JSON.stringify(more), extra);
              sentences.add((answer.body.error as { message: string }).message);
            }
          });
        const vote = async (person: PersonKeys, id: string, status: string) => {
          const answer = expectDone(await surface.approve(person.token, id), 'approving');
          check(answer.body.status === status, `it is ${answer.body.status} instead of ${status}`, answer);
        };
        const keptOut = async (person: PersonKeys, id: string) => {
          const watched = { intents: [id], whole: false, recorded: true };
          await main.unchanged('somebody not asked', watched, async () => {
            const answer = await surface.approve(person.token, id);
            expectRefused(surface.name, answer, 403, 'FORBIDDEN', 'somebody not asked approves');
          });
        };
        const named = { approvers: [ann.email] };
        await under({ approvers: [finance] }, async () => {
          const nobody = 'nobody@example.org';
          await refuse(
            { approvers: [friend.email] },
            { approvers: [nobody] },
            { approvers: [ann.email, nobody] },
            { approvers: [security] },
            { approvers: ['role:nobody'] },
            { min_approvals: 3 },
            { ...named, min_approvals: 2 },
          );
          for (const who of [bob, main.people.find(({ role }) => role === 'owner') ?? bob]) {
            const id = await ask({ ...named, proof_tier: 'passkey' });
            const list = await main.call('GET', '/console/inbox', { key: who.token });
            const item = (list.body.data as { id: string }[]).find((one) => one.id === id);
            const listed = JSON.stringify({ asked_of: [ann.email], can_decide: false });
            const { asked_of, can_decide } = (item ?? {}) as { asked_of?: unknown; can_decide?: unknown };
            check(JSON.stringify({ asked_of, can_decide }) === listed, 'it is listed otherwise', list);
            const shown = await main.call('GET', `/console/intents/${id}`, { key: who.token });
            const { can_approve, can_deny } = shown.body;
            check(!can_approve && can_deny === true, 'it is shown otherwise', shown);
            await main.unchanged('a stranger denies', { whole: false, recorded: true }, async () => {
              const answer = await surface.deny(friend.token, id);
              expectRefused(surface.name, answer, 403, 'FORBIDDEN', 'a stranger denies');
            });
            const denied = expectDone(await surface.deny(who.token, id, { reason: 'No.' }), 'denying');
            const by = denied.body.resolved_by;
            check(denied.body.status === 'denied' && by === who.email, `it is denied by ${by}`, denied);
          }
        });
        await under({ approvers: [finance], min_approvals: 2 }, async () => {
          const id = await ask({ approvers: [finance], min_approvals: 1 });
          await vote(ann, id, 'pending');
          await vote(bob, id, 'approved');
        });
        const both = [finance, security].map((from) => ({ from: [from], count: 1, programs: true }));
        const rule = { name: action, match: { action } };
        const asking = { rules: [{ ...rule, effect: 'require_approval', require: both }] };
        await under(
          { approvers: ['role:owner'] },
          async () => {
            const id = await ask(named);
            await keptOut(bob, id);
            await vote(ann, id, 'pending');
            await vote(cem, id, 'approved');
          },
          asking,
        );
        await under(
          { approvers: [finance] },
          async () => {
            await refuse({ approvers: [friend.email] });
            const id = await ask(named);
            await keptOut(friend, id);
            await vote(ann, id, 'approved');
          },
          { rules: [{ ...rule, effect: 'allow' }] },
        );
        const no = { requester_may_narrow: false };
        await under({ approvers: [finance] }, () => refuse(named), no);
        const orNamed = { approvers: [finance], or_named: [security] };
        const narrowed = { approvers: [cem.email] };
        await under(
          orNamed,
          async () => {
            await vote(cem, await ask(narrowed), 'approved');
            await vote(ann, await ask(narrowed), 'approved');
            await keptOut(cem, await ask({}));
          },
          no,
        );
        const permit = { token: '' };
        await under(orNamed, async () => {
          const id = await ask(narrowed);
          await keptOut(ann, id);
          await vote(cem, id, 'approved');
          permit.token = permitOf(await surface.read(main.agentKey, id));
          const denied = await surface.deny(ann.token, await ask(narrowed));
          check(denied.body.status === 'denied', 'those not named cannot deny', denied);
        });
        await under({ approvers: [finance] }, () =>
          main.unchanged('a permit of others than policy asks', { whole: false }, async () => {
            const use = { token: permit.token, action, params: {}, consume: true };
            const answer = await surface.verify(main.verifierKey, use);
            expectInvalidPermit(surface.name, answer, 'policy_changed', 'a permit of others');
          }),
        );
        // If the policy requires other approvers later, they must approve in addition to those that the request fixed.
        const fixed: string[] = [];
        await under({ approvers: [finance] }, async () => void fixed.push(await ask(named)));
        await under({ approvers: [security] }, async () => {
          await vote(cem, fixed[0] ?? '', 'pending');
          await vote(ann, fixed[0] ?? '', 'approved');
        });
      }
      const told = [...sentences].join();
      check(sentences.size === 1 && !told.includes(finance), `the sentences tell apart: ${told}`);
      await under({ approvers: [finance] }, async () => {
        for (let round = 0; round < 12; round += 1) {
          const id = await main.newIntent(action, {}, { approvers: [ann.email] });
          const [a, b] = main.surfaces;
          const votes = [
            () => a.approve(ann.token, id),
            () => b.approve(ann.token, id),
            () => a.approve(bob.token, id),
            () => b.deny(bob.token, id),
          ];
          const from = round % votes.length;
          const order = [...votes.slice(from), ...votes.slice(0, from)];
          const answers = await Promise.all(order.map((cast) => cast()));
          const taken = answers.filter(({ status }) => status === 200);
          check(taken.length === 1, `${taken.length} of four votes were taken`, taken[1] ?? answers[0]);
          const story = await main.story(id);
          const ends = story.filter((type) => type === 'intent.approved' || type === 'intent.denied');
          const isIssued = story.includes('permit.issued');
          check(
            ends.length === 1 && isIssued === (ends[0] === 'intent.approved'),
            `the log tells of ${story}`,
          );
        }
      });
    },
  },
];
