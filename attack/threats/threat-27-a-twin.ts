/** Threat 27: approvers are told of an identical request that was just used. */
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
    async run({ main }) {
      const action = main.action('twin');
      const params = { order: 'A-4711', amount: 120.5 };
      const { id: first, shown } = await main.newPermit({ action, params });
      expectDone(
        await main.surfaces[1].verify(main.verifierKey, { ...shown, consume: true }),
        'using a permit',
      );
      await main.newPermit({ action, params: { ...params, amount: 1 } });
      const id = await main.newIntent(action, { amount: 120.5, order: 'A-4711' });
      const asked = expectDone(await main.surfaces[1].read(main.agentKey, id), 'reading');
      const headers = await main.signIn(new URL(String(asked.body.approval_url)).origin);
      const seen = expectDone(await main.call('GET', `/console/intents/${id}`, { headers }), 'looking');
      const twin = seen.body.approved_lately as JsonObject | null;
      check(twin?.id === first, 'the approver is not told of the twin', seen);
      check(typeof twin?.approved_at === 'string', 'the approver is not told when it was approved', seen);
      check(typeof twin?.used_at === 'string', 'the approver is not told that it was used', seen);
      return undefined;
    },
  },
];
