/** Threat 4: one vote a person, exactly one resolution, one permit, however many come at once and through which door. */
import { decodePermit } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const RACERS = 30;

let t: Arena;
let people: Person[];
let services: string[];
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  // So that a person's key and token are votes of theirs, as their session is.
  await t.putPolicy({ approvers: ['role:approver'], programs: true });
  people = [];
  services = [];
  for (let i = 0; i < RACERS; i += 1) {
    people.push(await t.addPerson(`person-${i}@example.org`, 'approver'));
    services.push((await t.addService(`person-${i}@example.org`)).key);
  }
});
afterAll(() => t.close());

const person = (i: number): Person => people[i] as Person;
const newIntent = async (more: object) =>
  idOf(await t.surfaces[1].create(t.first.agent_key, ACTION, {}, more));

function votesOn(id: string): { user_id: string; decision: string }[] {
  return t.rowsOf('approvals', id) as { user_id: string; decision: string }[];
}

describe('one person', () => {
  it('votes once, with token and secret key, on both surfaces at the same moment, 20 times over', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await newIntent({ min_approvals: 2 });
      const who = round % RACERS;
      const answers = await Promise.all([
        t.surfaces[0].approve(person(who).token, id),
        t.surfaces[1].approve(services[who] ?? '', id),
        t.surfaces[1].approve(person(who).token, id),
        t.surfaces[0].approve(services[who] ?? '', id),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
      for (const [index, answer] of answers.entries()) {
        if (answer.status === 409) expectRefused(index % 3 === 0 ? 'A' : 'B', answer, 409, 'ALREADY_VOTED');
      }
      expect(votesOn(id)).toHaveLength(1);
      expect((await t.surfaces[1].read(t.first.agent_key, id)).body).toMatchObject({
        status: 'pending',
        approvals_received: 1,
        approvals_required: 2,
      });
      expect(t.story(id)).toEqual(['intent.created', 'approval.recorded']);
    }
  });

  it('does not vote again later, and nothing comes of trying', async () => {
    const id = await newIntent({ min_approvals: 2 });
    await t.surfaces[0].approve(person(0).token, id);
    for (const surface of t.surfaces) {
      for (const key of [person(0).token, services[0] ?? '']) {
        expectRefused(
          surface.name,
          await t.expectUnchanged(() => surface.approve(key, id)),
          409,
          'ALREADY_VOTED',
        );
      }
    }
  });

  it('in two groups fills one place', async () => {
    const root = `/v1/projects/${t.projectId}`;
    const present = t.owner;
    for (const [group, members] of [
      ['finance', [0, 1]],
      ['security', [0, 2]],
    ] as const) {
      const body = { members: members.map((i) => person(i).email) };
      expect((await t.call('PUT', `${root}/groups/${group}`, { present, body })).status).toBe(200);
    }
    const require = ['finance', 'security'].map((group) => ({ from: [group], count: 1, programs: true }));
    const rule = {
      name: 'two groups',
      match: { action: 'payments.payout' },
      effect: 'require_approval',
      require,
    };
    await t.putPolicy({ approvers: ['role:approver'], programs: true }, [rule]);

    for (const surface of t.surfaces) {
      const id = idOf(await surface.create(t.first.agent_key, 'payments.payout'));
      expect((await surface.approve(person(0).token, id)).body).toMatchObject({
        status: 'pending',
        approvals_received: 1,
      });
      expectRefused(surface.name, await surface.approve(services[0] ?? '', id), 409, 'ALREADY_VOTED');
      // The one in both groups moves over, so that either colleague completes it.
      expect((await surface.approve(person(surface.name === 'A' ? 1 : 2).token, id)).body.status).toBe(
        'approved',
      );
    }
  });

  it('may turn an approval into a denial, which denies, and not back', async () => {
    for (const surface of t.surfaces) {
      const id = await newIntent({ min_approvals: 3 });
      await surface.approve(person(0).token, id);
      await surface.approve(person(1).token, id);
      expect((await surface.deny(person(0).token, id)).body).toMatchObject({
        status: 'denied',
        resolved_by: person(0).email,
      });
      expect(
        votesOn(id)
          .map(({ decision }) => decision)
          .toSorted(),
      ).toEqual(['approve', 'deny']);
      const again = await t.expectUnchanged(() => surface.approve(person(0).token, id));
      expectRefused(surface.name, again, 409, 'INTENT_ALREADY_RESOLVED', { status: 'denied' });
      expect(t.rowsOf('issued', id)).toEqual([]);
    }
  });
});

describe('somebody who is no longer there', () => {
  const root = () => `/v1/projects/${t.projectId}`;

  it.each(['removed', 'made a viewer'])(
    'and was %s: the earlier vote does not count, and no new one is taken',
    async (how) => {
      const leaver = await t.addPerson(`leaver-${how.length}@example.org`, 'approver');
      const present = t.owner;
      const intents = [await newIntent({ min_approvals: 2 }), await newIntent({ min_approvals: 2 })];
      for (const id of intents) expect((await t.surfaces[0].approve(leaver.token, id)).status).toBe(200);
      const path = `${root()}/members/${leaver.userId}`;
      const gone =
        how === 'removed'
          ? await t.call('DELETE', path, { present })
          : await t.call('PATCH', path, { present, body: { role: 'viewer' } });
      expect(gone.status).toBe(200);
      for (const [index, id] of intents.entries()) {
        const surface = t.surfaces[index as 0 | 1];
        expect((await surface.approve(person(0).token, id)).body, id).toMatchObject({ status: 'pending' });
        const late = await surface.approve(leaver.token, id);
        expectRefused(surface.name, late, 403, 'FORBIDDEN');
        const last = await surface.approve(person(1).token, id);
        expect(last.body.status).toBe('approved');
        const read = await t.surfaces[1].read(t.first.agent_key, id);
        expect((read.body.approvals as { by: string }[]).map(({ by }) => by)).toEqual([
          person(0).email,
          person(1).email,
        ]);
      }
    },
  );
});

describe(`${RACERS} people at the same moment`, () => {
  it.each([1, 2, 5, 20])(
    '%i of them are needed: so many votes, one resolution, one permit',
    async (needed) => {
      const id = await newIntent({ min_approvals: needed });
      const answers = await Promise.all(
        people.map(({ token }, i) =>
          t.surfaces[(i % 2) as 0 | 1].approve(i % 3 === 0 ? (services[i] ?? '') : token, id),
        ),
      );
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken).toHaveLength(needed);
      expect(taken.filter(({ body }) => body.status === 'approved')).toHaveLength(1);
      for (const [i, answer] of answers.entries()) {
        if (answer.status !== 200) {
          const surface = t.surfaces[(i % 2) as 0 | 1];
          expectRefused(surface.name, answer, 409, 'INTENT_ALREADY_RESOLVED', { status: 'approved' });
        }
      }
      expect(votesOn(id)).toHaveLength(needed);
      expect(t.rowsOf('issued', id)).toHaveLength(1);
      expect(t.story(id)).toEqual([
        'intent.created',
        ...Array.from({ length: needed }, () => 'approval.recorded'),
        'intent.approved',
        'permit.issued',
      ]);
      const decoded = decodePermit(permitOf(await t.surfaces[0].read(t.first.agent_key, id)), {
        mode: 'live',
      });
      expect(decoded.ok && new Set(decoded.claims.approval.by).size).toBe(needed);
    },
  );

  it('and one denial among them: one outcome, and no permit beside a denial', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await newIntent({ min_approvals: 15 });
      const answers = await Promise.all(
        people
          .slice(0, 20)
          .map(({ token }, i) =>
            i === round + 5 ? t.surfaces[0].deny(token, id) : t.surfaces[1].approve(token, id),
          ),
      );
      const { body } = await t.surfaces[0].read(t.first.agent_key, id);
      const resolutions = t
        .story(id)
        .filter((type) => type === 'intent.approved' || type === 'intent.denied');
      expect(resolutions).toEqual([`intent.${String(body.status)}`]);
      expect('permit_token' in body).toBe(body.status === 'approved');
      expect(
        answers.filter((answer) => answer.status === 200 && answer.body.status !== 'pending'),
      ).toHaveLength(1);
    }
  });
});
