/** Threat 5: two things at the same instant have one outcome, and every reader sees this outcome. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import type { Inside } from '../range/inside.ts';
import type { Range } from '../range/range.ts';
import type { Stage } from '../range/stage.ts';
import type { Surface } from '../range/surfaces.ts';

/** With the gate in the same process there are more rounds, and each outcome has to occur. */
const roundsFor = ({ inside }: Range) => (inside ? 50 : 20);
const RESOLVED = ['intent.approved', 'intent.denied', 'intent.expired'];

interface Round {
  number: number;
  /** Alternates between rounds. Each surface races in both orders. */
  surface: Surface;
  other: Surface;
  /**
   * Sends both requests simultaneously, in either order, with a small head start for the first. The head start is up to
   * seven turns of the gate, or from outside up to two milliseconds. So each request wins some rounds, even if the
   * other is faster.
   */
  race(one: () => Promise<Answer>, other: () => Promise<Answer>): Promise<[Answer, Answer]>;
  /** Checks which events were written since the race began. This is not possible from outside. */
  checkWritten(...types: string[]): void;
}

/** Reports how often each outcome of a race occurred. */
async function inRounds(
  { main, client, inside }: Range,
  count: number,
  play: (round: Round) => Promise<string>,
): Promise<string> {
  await client.warmUp(2);
  const outcomes: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const [even, odd] = main.surfaces;
    const [surface, other] = number % 2 === 0 ? [even, odd] : [odd, even];
    const ahead = Math.floor(number / 4) % 8;
    const giveHeadStart = async () => {
      if (inside) return inside.turns(ahead);
      // No timer is exact enough for this head start.
      for (const until = performance.now() + ahead / 2; performance.now() < until; )
        await new Promise((resolve) => setImmediate(resolve));
    };
    let position = 0;
    const outcome = await play({
      number,
      surface,
      other,
      async race(one, two) {
        position = inside?.position() ?? 0;
        const isOneFirst = number % 4 < 2;
        const first = isOneFirst ? one() : two();
        await giveHeadStart();
        return isOneFirst ? Promise.all([first, two()]) : Promise.all([one(), first]);
      },
      checkWritten(...types) {
        const written = inside?.written(position).map(({ type }) => type) ?? types;
        check(written.join() === types.join(), `the log tells of ${written.join(', ')}`);
      },
    });
    outcomes.push(outcome);
  }
  return tally(inside, outcomes);
}

/** The status, which must be the same on both surfaces, in the list and in the log. */
async function onlyOutcome(main: Stage, id: string): Promise<string> {
  const keys = [main.observer, main.agentKey, main.decider];
  const reads = await Promise.all(
    main.surfaces.flatMap((surface) => keys.map((key) => surface.read(key, id))),
  );
  const lists = await Promise.all(keys.map((key) => main.call('GET', '/api/intents?limit=20', { key })));
  const listed = lists.flatMap(({ body }) =>
    (body.intents as { id: string; status: string }[]).filter((intent) => intent.id === id),
  );
  const told = (await main.story(id))
    .filter((type) => RESOLVED.includes(type))
    .map((type) => type.replace('intent.', ''));
  const statuses = new Set([
    ...reads.map(({ body }) => String(body.status)),
    ...listed.map(({ status }) => status),
    ...told,
  ]);
  // On a gate in another process, other callers may have sent twenty more requests in the meantime.
  check(main.inside === undefined || listed.length === keys.length, 'a list lacks it');
  check(
    statuses.size === 1 && told.length === 1,
    `readers disagree: ${[...statuses].join(', ')}; the log tells of ${told.join(', ')}`,
    reads[0],
  );
  const [outcome = ''] = statuses;
  const issued = (await main.story(id)).filter((type) => type === 'permit.issued').length;
  check(issued === (outcome === 'approved' ? 1 : 0), `it is ${outcome}, and has ${issued} permits`);
  return outcome;
}

/** How often each outcome occurred. A race that always ends the same way has not really been run. */
function tally(inside: Inside | undefined, outcomes: readonly string[]): string {
  const counts = Object.entries(Object.groupBy(outcomes, (outcome) => outcome));
  check(!inside || counts.length === 2, `every round ended alike: ${outcomes[0]}`);
  return counts.map(([outcome, rounds]) => `${outcome} ${rounds?.length}`).join(', ');
}

/** Moves the clock during an approval, a little later each time. */
function expireUnderway(range: Range, inside: Inside): Promise<string> {
  const { main, clock } = range;
  return inRounds(range, 50, async ({ number, surface }) => {
    const id = await main.newIntent(main.action('short'), {}, { expires_in: 1, via: surface });
    const approving = surface.approve(main.decider, id);
    await inside.turns(number % 10);
    await clock.pass(1);
    const [answer] = await Promise.all([approving, inside.endExpired(), surface.read(main.agentKey, id)]);
    const outcome = await onlyOutcome(main, id);
    const expired = { expired_at: new Date(clock.now()).toISOString() };
    if (outcome === 'approved') check(answer.body.status === 'approved', 'it is told otherwise', answer);
    else expectRefused(surface.name, answer, 410, 'INTENT_EXPIRED', 'approving too late', expired);
    await main.unchanged('approving later still', { intents: [id], whole: false }, async () => {
      const late = await surface.approve(main.approvers.at(-1)?.token ?? main.decider, id);
      if (outcome === 'approved')
        expectRefused(surface.name, late, 409, 'INTENT_ALREADY_RESOLVED', 'approving later', {
          status: outcome,
        });
      else expectRefused(surface.name, late, 410, 'INTENT_EXPIRED', 'approving later');
    });
    return outcome;
  });
}

/**
 * The ways to end a permit immediately: the refusal's reason, the event, the call that ends it, and the call that
 * undoes this.
 */
async function endingsOf(main: Stage, agentId: string, action: string) {
  const { body } = await main.manage('GET', '/policies');
  const document = body.policy as { rules: object[] };
  const put = (...rules: object[]) =>
    main.manage('PUT', '/policies', { ...document, rules: [...document.rules, ...rules] });
  const denying = { name: action, match: { action }, effect: 'deny' };
  const post = (path: string) => () => main.manage('POST', path, {});
  return [
    ['revoked', 'permit.revoked'],
    ['agent_paused', 'agent.paused', post(`/agents/${agentId}/pause`), post(`/agents/${agentId}/resume`)],
    ['project_stopped', 'project.stopped', post('/stop'), post('/start')],
    ['policy_changed', 'policy.updated', () => put(denying), () => put()],
  ] as const;
}

export const SAME_INSTANT: readonly CatalogueEntry[] = [
  {
    id: 'T05-approve-deny',
    title: 'approved and denied at the same instant',
    threats: ['5'],
    aisvs: ['9.2.1'],
    attack: 'An approval and a denial of one intent are sent at once on the two surfaces.',
    expected: 'One wins, the other is 409; both surfaces, the list and the log tell the same.',
    needs: ['agent', 'decider', 'observer'],
    async run(range) {
      const { main } = range;
      const denier = main.approvers.at(-1)?.token ?? main.decider;
      return inRounds(range, roundsFor(range), async ({ surface: a, other: b, race }) => {
        const id = await main.newIntent();
        const [approval, denial] = await race(
          () => a.approve(main.decider, id),
          () => b.deny(denier, id),
        );
        const outcome = await onlyOutcome(main, id);
        const [won, lost, surface] = outcome === 'approved' ? [approval, denial, b] : [denial, approval, a];
        check(won.status === 200, 'the winner was refused', won);
        check(won.body.status === outcome, 'the winner was told another outcome', won);
        const extra = { status: outcome };
        expectRefused(surface.name, lost, 409, 'INTENT_ALREADY_RESOLVED', 'the loser', extra);
        return outcome;
      });
    },
  },
  {
    id: 'T05-withdraw-approve',
    title: 'withdrawn and approved at the same instant',
    threats: ['5'],
    aisvs: ['9.2.1'],
    attack: 'An agent withdraws its request at the moment in which it is approved.',
    expected: 'One wins, the other is 409; no permit beside a withdrawal.',
    needs: ['agent', 'decider', 'observer'],
    async run(range) {
      const { main } = range;
      return inRounds(range, roundsFor(range), async ({ surface, race }) => {
        const id = await main.newIntent();
        const [withdrawal, approval] = await race(
          () => main.call('POST', `/v1/intents/${id}/withdraw`, { key: main.agentKey, body: {} }),
          () => surface.approve(main.decider, id),
        );
        const outcome = await onlyOutcome(main, id);
        const extra = { status: outcome };
        const [lost, door] = outcome === 'denied' ? [approval, surface.name] : [withdrawal, 'B' as const];
        expectRefused(door, lost, 409, 'INTENT_ALREADY_RESOLVED', 'what came too late', extra);
        const isTold = outcome !== 'denied' || withdrawal.body.reason === 'withdrawn';
        check(isTold, 'the withdrawal is told otherwise', withdrawal);
        return outcome;
      });
    },
  },
  {
    id: 'T05-approve-expire',
    title: 'approved in the second in which it expires',
    threats: ['5'],
    aisvs: ['9.2.1', '9.6.2'],
    attack: 'Thirty intents live for a second; each is approved around the moment at which its time is over.',
    expected: 'Approved before it, or 410 intent_expired; no permit for what expired.',
    needs: ['agent', 'decider', 'observer'],
    async run(range) {
      const { main, clock, inside } = range;
      if (inside) return expireUnderway(range, inside);
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const surface = main.surfaces[(index % 2) as 0 | 1];
          const id = await main.newIntent(main.action('short'), {}, { expires_in: 1 });
          const read = expectDone(await main.surfaces[1].read(main.observer, id), 'reading');
          // Uses this machine's clock, which may be wrong. Then all rounds have the same outcome, and the report shows
          // that.
          const until = Date.parse(String(read.body.expires_at)) - clock.now();
          await clock.pass(Math.max(0, until + (index - 15) * 3) / 1000);
          const answer = await surface.approve(main.decider, id);
          if (answer.status !== 200)
            expectRefused(surface.name, answer, 410, 'INTENT_EXPIRED', 'approving too late');
          const outcome = await onlyOutcome(main, id);
          check(
            outcome === (answer.status === 200 ? 'approved' : 'expired'),
            `answered with ${answer.status}, and it is ${outcome}`,
            answer,
          );
          const own = await surface.read(main.agentKey, id);
          const holds = 'permit_token' in own.body || 'permit' in own.body;
          check(
            holds === (outcome === 'approved'),
            `it is ${outcome}, and ${holds ? 'has a' : 'has no'} permit`,
            own,
          );
          return outcome;
        }),
      );
      return tally(inside, outcomes);
    },
  },
  {
    id: 'T05-late-decision',
    title: 'a decision after the time is over',
    threats: ['5'],
    aisvs: ['9.6.2'],
    attack: 'An intent nobody decided in time is approved, denied, and asked for its permit.',
    expected: '410 intent_expired for each; it stays expired, without a permit.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main, clock }) {
      const id = await main.newIntent(main.action('late'), {}, { expires_in: 1 });
      await clock.pass(1.3);
      for (const surface of main.surfaces) {
        expectRefused(
          surface.name,
          await surface.approve(main.decider, id),
          410,
          'INTENT_EXPIRED',
          'approving too late',
        );
        expectRefused(
          surface.name,
          await surface.deny(main.decider, id),
          410,
          'INTENT_EXPIRED',
          'denying too late',
        );
      }
      check((await onlyOutcome(main, id)) === 'expired', 'it is not expired');
      const permit = await main.call('POST', `/v1/intents/${id}/permit`, { key: main.agentKey, body: {} });
      check(permit.status >= 400, 'an expired intent has a permit', permit);
    },
  },
  {
    id: 'T05-pause-create',
    title: 'a pause and a request at the same instant',
    threats: ['5', '9'],
    aisvs: ['9.5.6'],
    attack: 'An agent asks at the moment in which it is paused, and again once the pause is answered.',
    expected: 'Before it or agent_paused; after it agent_paused only.',
    needs: ['manager'],
    async run(range) {
      const { main } = range;
      const agent = await main.newAgent();
      return inRounds(range, roundsFor(range), async ({ surface, race, checkWritten }) => {
        const create = () => surface.create(agent.key, main.action('pause'), {}, { expires_in: 60 });
        const pause = () => main.manage('POST', `/agents/${agent.id}/pause`, {});
        const [created, paused] = await race(create, pause);
        expectDone(paused, 'pausing');
        const isAsked = created.status === 201;
        if (!isAsked) expectRefused(surface.name, created, 403, 'AGENT_PAUSED', 'asking while paused');
        checkWritten(...(isAsked ? ['intent.created'] : []), 'agent.paused');
        await main.unchanged('asking after the pause', { whole: false }, async () => {
          expectRefused(surface.name, await create(), 403, 'AGENT_PAUSED', 'asking after the pause');
        });
        expectDone(await main.manage('POST', `/agents/${agent.id}/resume`, {}), 'resuming');
        return isAsked ? 'asked before' : 'paused before';
      });
    },
  },
  {
    id: 'T05-revoke-use',
    title: 'a revocation and a use at the same instant',
    threats: ['5', '8', '9'],
    aisvs: ['9.5.6'],
    attack:
      'A permit is used at the moment in which its approval is revoked, its agent paused, its project stopped or its action denied, and again after that.',
    expected: 'Used before it or not at all; after it never.',
    needs: ['agent', 'verifier', 'decider', 'manager', 'observer'],
    async run(range) {
      const { main, inside } = range;
      const agent = await main.newAgent();
      const told: string[] = [];
      const action = main.action('ended');
      const all = await endingsOf(main, agent.id, action);
      const endings = all.slice(0, main.mayTouchProject ? all.length : 2);
      // This undoes the changes if the run is interrupted in between.
      for (const [, , , begin] of endings) if (begin) main.takeBack(begin);
      for (const [reason, event, end, begin] of endings) {
        // In the gate's own process, the rounds cover every head start in both orders.
        const outcomes = await inRounds(range, inside ? 32 : 10, async ({ surface, race, checkWritten }) => {
          const { id, shown } = await main.newPermit({ action, key: agent.key });
          const use = () => surface.verify(main.verifierKey, { ...shown, consume: true });
          const revoke = () =>
            main.call('POST', '/v1/permits/revoke', { key: main.stopper, body: { intent_id: id } });
          const [used, ended] = await race(use, end ?? revoke);
          expectDone(ended, event);
          const isUsed = used.status === 200;
          if (!isUsed) expectInvalidPermit(surface.name, used, reason, 'using what is ended');
          checkWritten(...(isUsed ? ['permit.consumed'] : []), event);
          expectInvalidPermit(surface.name, await use(), [reason, 'already_used'], 'using it after that');
          if (begin) expectDone(await begin(), 'letting it go on');
          const uses = (await main.story(id)).filter((type) => type === 'permit.consumed').length;
          check(uses === (isUsed ? 1 : 0), `the log tells of ${uses} uses`, used);
          return isUsed ? 'used before' : 'ended before';
        });
        told.push(`${reason}: ${outcomes}`);
      }
      return told.join('; ');
    },
  },
];
