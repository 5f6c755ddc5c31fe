/** Threat 4: the votes of people who left since, and thirty people at the same moment. */
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
});
