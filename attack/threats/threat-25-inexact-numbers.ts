/** Threat 25: digits that a double does not hold are lost between the request and its approver. */
import type { CatalogueEntry } from '../attack-case.ts';
import { expectRefused } from '../range/expect.ts';
import { INEXACT_NUMBERS } from '../tables/parameter-spellings.ts';

export const INEXACT_NUMBERS_CASES: readonly CatalogueEntry[] = [
  {
    id: 'T25-lost-digits',
    title: 'numbers with digits that a double does not hold',
    threats: ['25'],
    aisvs: ['9.2.8'],
    attack:
      'An agent asks for 100.00000000000000001, which an approver would see as 100; an executor shows such a number with a permit.',
    expected: '400 at both surfaces, the gateway and /mcp; nothing changed.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const action = main.action('lost');
      const { id, shown } = await main.newPermit({ action, params: { amount: 100 } });
      await main.unchanged('lost digits', { intents: [id], whole: false }, async () => {
        for (const number of INEXACT_NUMBERS) {
          const params = `{"amount":${number}}`;
          for (const surface of main.surfaces) {
            const asked = await surface.create(main.agentKey, action, params);
            expectRefused(surface.name, asked, 400, 'INVALID_FIELDS', `asking with ${number}`);
            const used = await surface.verify(main.verifierKey, { ...shown, params, consume: true });
            expectRefused(surface.name, used, 400, 'INVALID_FIELDS', `showing ${number}`);
          }
          const called = await main.call('POST', '/api/mcp-gateway', {
            key: main.agentKey,
            body: `{"tool":"payments.refund","arguments":${params}}`,
          });
          expectRefused('A', called, 400, 'INVALID_FIELDS', `a tool with ${number}`);
          const spoken = await main.call('POST', '/mcp', {
            key: main.agentKey,
            headers: { accept: 'application/json, text/event-stream' },
            body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payments.refund","arguments":${params}}}`,
          });
          expectRefused('B', spoken, 400, 'INVALID_FIELDS', `MCP with ${number}`);
        }
      });
      return `${INEXACT_NUMBERS.length} numbers, four doors`;
    },
  },
];
