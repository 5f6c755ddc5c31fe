/** Threat 25: digits that a double cannot hold are lost between the request and its approver. */
import { parseStrictJson } from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';
import { surfaceOf } from '../range/surfaces.ts';
import { EXACT_NUMBERS, INEXACT_NUMBERS } from '../tables/parameter-spellings.ts';

/** Each route that takes JSON: its body with a number `N` and the permit `T`, and the path of the number. */
const DOORS: readonly (readonly [path: string, body: string, at: string])[] = [
  ['/api/intents', '{"action":"a.b","source_type":"ai_agent","context":{"amount":N}}', '/context/amount'],
  [
    '/api/intents/permit/verify',
    '{"permit_token":"T","action":"a.b","context":{"amount":N},"consume":true}',
    '/context/amount',
  ],
  [
    '/api/mcp-gateway',
    '{"tool":"payments.refund","arguments":{"order_id":"o","amount":N}}',
    '/arguments/amount',
  ],
  ['/v1/intents', '{"action":"a.b","params":{"a":[0,N]}}', '/params/a/1'],
  ['/v1/intents', '{"action":"a.b","params":{},"metadata":{"amount":N}}', '/metadata/amount'],
  [
    '/v1/permits/validate',
    '{"token":"T","action":"a.b","params":{"amount":N},"consume":true}',
    '/params/amount',
  ],
  [
    '/mcp',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payments.refund","arguments":{"order_id":"o","amount":N}}}',
    '/params/arguments/amount',
  ],
];

export const INEXACT_NUMBERS_CASES: readonly CatalogueEntry[] = [
  {
    id: 'T25-lost-digits',
    title: 'numbers with digits that a double does not hold',
    threats: ['25'],
    aisvs: ['9.2.8'],
    attack:
      'An agent asks for 100.00000000000000001, which an approver would see as 100; an executor shows such a number with a permit.',
    expected:
      '400 at both surfaces, the gateway and /mcp; nothing changed. What a double holds may be spelled in any way.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const { id, shown } = await main.newPermit({ params: { amount: 100 } });
      const headers = { accept: 'application/json, text/event-stream' };
      await main.unchanged('lost digits', { intents: [id], whole: false }, async () => {
        for (const number of INEXACT_NUMBERS) {
          for (const [path, template, at] of DOORS) {
            // The number is replaced first, because a permit may contain an N too.
            const body = template
              .replace('N', number)
              .replace('"T"', `"${shown.token}"`)
              .replace('a.b', shown.action);
            const key = /verify|validate/.test(path) ? main.verifierKey : main.agentKey;
            const answer = await main.call('POST', path, { key, body, headers });
            const what = `${number} at ${path}`;
            expectRefused(surfaceOf(path), answer, 400, 'INVALID_FIELDS', what, { fields: [{ path: at }] });
          }
        }
      });
      for (const number of EXACT_NUMBERS) {
        const { shown: exact } = await main.newPermit({ params: `{"amount":${number}}` });
        const shortest = String(parseStrictJson(new TextEncoder().encode(number)));
        const params = `{"amount":${shortest}}`;
        const answer = await main.surfaces[1].verify(main.verifierKey, { ...exact, params });
        check(expectDone(answer, number).body.bound === true, `${number} is not ${shortest}`, answer);
      }
      return `${INEXACT_NUMBERS.length} numbers, ${DOORS.length} doors`;
    },
  },
  {
    id: 'T25-in-settings',
    title: 'such numbers in a policy and on a page',
    threats: ['25'],
    aisvs: [],
    attack: 'They are sent as a number of approvals in a policy, and as a code to a page.',
    expected: '400 that says where; nothing changed.',
    needs: ['agent', 'manager', 'observer', 'project-wide', 'somebody who signs in'],
    async run({ main }) {
      const headers = await main.signIn();
      const { body } = await main.manage('GET', '/policies');
      const document = body.policy as { default: object };
      const least = { ...document, default: { ...document.default, min_approvals: 'N' } };
      await main.unchanged('lost digits', {}, async () => {
        for (const number of INEXACT_NUMBERS) {
          const policy = JSON.stringify(least).replace('"N"', number);
          const saved = await main.manage('PUT', '/policies', policy);
          if (saved.status === 200) main.takeBack(() => main.manage('PUT', '/policies', document));
          const fields = [{ path: '/default/min_approvals' }];
          expectRefused('B', saved, 400, 'INVALID_FIELDS', number, { fields });
          const options = { headers, body: `{"code":${number}}` };
          const confirmed = await main.call('POST', '/console/account/totp/confirm', options);
          expectRefused('B', confirmed, 400, 'INVALID_FIELDS', number, { fields: [{ path: '/code' }] });
        }
      });
    },
  },
];
