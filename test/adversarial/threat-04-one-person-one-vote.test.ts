/** Threat 4: the votes of people who have left since. The catalogue covers all other votes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf } from './surfaces.ts';

let t: Arena;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  await t.putPolicy({ approvers: ['role:approver'], programs: true });
  ann = await t.addPerson('ann@example.org', 'approver');
  bob = await t.addPerson('bob@example.org', 'approver');
});
afterAll(() => t.close());

it.each(['removed', 'made a viewer'])(
  'a former approver who was %s has no vote: the earlier one does not count, and no new one is accepted',
  async (how) => {
    const leaver = await t.addPerson(`leaver-${how.length}@example.org`, 'approver');
    const ask = async () =>
      idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', {}, { min_approvals: 2 }));
    const intents = [await ask(), await ask()];
    for (const id of intents) expect((await t.surfaces[0].approve(leaver.token, id)).status).toBe(200);
    const path = `/v1/projects/${t.projectId}/members/${leaver.userId}`;
    const present = t.owner;
    const gone =
      how === 'removed'
        ? await t.call('DELETE', path, { present })
        : await t.call('PATCH', path, { present, body: { role: 'viewer' } });
    expect(gone.status).toBe(200);
    for (const [index, id] of intents.entries()) {
      const surface = t.surfaces[index as 0 | 1];
      expect((await surface.approve(ann.token, id)).body, id).toMatchObject({ status: 'pending' });
      expectRefused(surface.name, await surface.approve(leaver.token, id), 403, 'FORBIDDEN');
      expect((await surface.approve(bob.token, id)).body.status).toBe('approved');
      const read = await t.surfaces[1].read(t.first.agent_key, id);
      expect((read.body.approvals as { by: string }[]).map(({ by }) => by)).toEqual([ann.email, bob.email]);
    }
  },
);
