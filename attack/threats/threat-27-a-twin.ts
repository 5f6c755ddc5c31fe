/** Threat 27: the gate shows approvers an identical request that was just used. */
import type { JsonObject } from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone } from '../range/expect.ts';

export const A_TWIN: readonly CatalogueEntry[] = [
  {
    id: 'T27-twin',
    title: 'an identical request right after its twin was used',
    threats: ['27', '13'],
    aisvs: ['9.2.2'],
    attack:
      'A request is approved and its permit used; another request between hides it from the comparison with last time; then an identical one is sent.',
    expected: 'What a signed-in approver is shown names the twin, when it was approved and when it was used.',
    needs: ['agent', 'verifier', 'decider', 'somebody who signs in'],
    async run(range) {
      const { main } = range;
      const headers = await main.signIn();
      const [action, another] = [main.action('twin'), main.action('other')];
      const twinOf = async (params: object, what = action) => {
        const id = await main.newIntent(what, params);
        const seen = expectDone(await main.call('GET', `/console/intents/${id}`, { headers }), 'looking');
        return { id, seen, twin: seen.body.approved_lately as JsonObject | null };
      };
      const params = { order: 'A-4711', amount: 120.5, notes: { by: 'Ann', n: 1 } };
      const { id: first, shown } = await main.newPermit({ action, params });
      expectDone(
        await main.surfaces[1].verify(main.verifierKey, { ...shown, consume: true }),
        'using a permit',
      );
      for (let other = 0; other < (range.inside ? 50 : 5); other += 1)
        await main.newPermit({ action, params: { ...params, amount: other } });
      for (const [what, spelled] of [
        ['the same', params],
        ['members in another order', { notes: { n: 1, by: 'Ann' }, amount: 120.5, order: 'A-4711' }],
        ['a number in another spelling', { order: 'A-4711', amount: 1205e-1, notes: { by: 'Ann', n: 1.0 } }],
      ] as const) {
        const { seen, twin } = await twinOf(spelled);
        check(twin?.id === first, `the approver does not see the twin: ${what}`, seen);
        check(typeof twin?.approved_at === 'string', 'the approver is not told when it was approved', seen);
        check(typeof twin?.used_at === 'string', 'the approver is not told that it was used', seen);
      }
      const pending = { order: 'pending' };
      await main.newIntent(action, pending);
      const denied = await twinOf({ order: 'denied' });
      expectDone(await main.surfaces[0].deny(main.decider, denied.id), 'denying');
      const strange = { order: 'another project' };
      if (range.findNeighbour?.findDecider) await range.neighbour.newPermit({ action, params: strange });
      for (const [what, others, under] of [
        ['one character more', { ...params, order: 'A-4711 ' }],
        ['a member more', { ...params, extra: null }],
        ['another action', params, another],
        ['a twin that is pending', pending],
        ['a twin that was denied', { order: 'denied' }],
        ['a twin of another project', strange],
      ] as const) {
        const { seen, twin } = await twinOf(others, under);
        check(twin === null, `${what} is taken for the same request`, seen);
      }
    },
  },
];
