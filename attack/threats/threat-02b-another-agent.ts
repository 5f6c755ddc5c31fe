/** Threat 2b: an agent's requests do not exist for another agent, and only their requester sees permits. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectAlike, expectDone, expectRefused, expectStatus, permitOf } from '../range/expect.ts';
import { fillPath } from '../range/operations.ts';
import { surfaceOf } from '../range/surfaces.ts';
import { NOBODYS } from '../tables/nobodys-things.ts';

const UNKNOWN = 'int_01hzzzzzzzzzzzzzzzzzzzzzzz';

function attemptsOn(id: string): readonly (readonly [string, string, object?])[] {
  return [
    ['GET', `/api/intents/${id}`],
    ['GET', `/v1/intents/${id}`],
    // If the intent existed, the gate would answer only after a minute. The answer must come immediately.
    ['GET', `/api/intents/${id}?wait=60`],
    ['GET', `/v1/intents/${id}?wait=60`],
    ['HEAD', `/v1/intents/${id}`],
    ['POST', `/v1/intents/${id}/permit`, {}],
    ['POST', `/v1/intents/${id}/withdraw`, {}],
    ['POST', `/v1/intents/${id}/outcome`, { outcome: 'succeeded' }],
  ];
}

/** Each part of the token counts, because no other token has the same claims or signature. */
const shows = (text: string, token: string) =>
  token
    .split('.')
    .slice(1)
    .some((part) => text.includes(part));

export const ANOTHER_AGENT: readonly CatalogueEntry[] = [
  {
    id: 'T02b-another-agent',
    title: 'one agent looks for another’s request',
    threats: ['2b'],
    aisvs: ['9.4.1', '9.5.5'],
    attack:
      'With a key of its own another agent reads, awaits, redeems, withdraws and reports on an intent that is not its own.',
    expected: '404, told apart in nothing from an id that does not exist; nothing changed.',
    needs: ['agent', 'other agent', 'decider', 'observer'],
    async run({ main }) {
      const key = await main.otherAgentKey();
      const used = await main.newPermit();
      expectDone(await main.surfaces[0].verify(main.agentKey, { ...used.shown, consume: true }), 'using it');
      for (const id of [await main.newIntent(), (await main.newPermit()).id, used.id]) {
        await main.unchanged('another agent', { intents: [id], whole: false }, async () => {
          const unknown = attemptsOn(UNKNOWN);
          for (const [index, [method, path, body]] of attemptsOn(id).entries()) {
            const answer = await main.call(method, path, { key, body });
            if (method === 'HEAD') expectStatus(answer, 404, 'HEAD of another agent’s intent');
            else expectRefused(surfaceOf(path), answer, 404, 'INTENT_NOT_FOUND', `${method} of another’s`);
            const nothing = await main.call(method, unknown[index]?.[1] ?? '', { key, body });
            expectAlike(answer, nothing, 'another agent’s intent and none');
          }
        });
        for (const query of ['', '?status=pending', '?status=approved', '?status=resolved', '?limit=200']) {
          const list = expectDone(await main.call('GET', `/api/intents${query}`, { key }), 'listing');
          check(!list.text.includes(id), 'the list of another agent shows it', list);
        }
      }
    },
  },
  {
    id: 'T02b-stolen-permit',
    title: 'a stolen permit in another agent’s hands',
    threats: ['2b'],
    aisvs: ['9.4.1', '9.5.5'],
    attack: 'An agent that got hold of another’s permit and receipt checks and uses them with its own key.',
    expected: '404; the permit stays unused for its owner.',
    needs: ['agent', 'other agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const key = await main.otherAgentKey();
      const permit = await main.newPermit();
      const read = await main.surfaces[0].read(main.agentKey, permit.id);
      const receipt = read.body.receipt_v2 as { jws: string };
      await main.unchanged('a stolen permit', { intents: [permit.id], whole: false }, async () => {
        for (const surface of main.surfaces) {
          for (const consume of [false, true]) {
            const answer = await surface.verify(key, { ...permit.shown, consume });
            expectRefused(surface.name, answer, 404, 'INTENT_NOT_FOUND', 'a stolen permit');
          }
        }
        for (const shown of [receipt, receipt.jws]) {
          const body = { receipt: shown };
          const answer = await main.call('POST', '/api/intents/permit/verify', { key, body });
          expectRefused('A', answer, 404, 'INTENT_NOT_FOUND', 'a stolen receipt');
        }
      });
    },
  },
  {
    id: 'T02b-permit-shown',
    title: 'reading a permit that is somebody else’s',
    threats: ['2b', '19'],
    aisvs: ['9.5.4', '9.5.5'],
    attack:
      'Everybody but its requester looks for a permit: in single reads, lists, the audit log and every other reading operation, and in the answer to their own approval.',
    expected: 'It is nowhere; its requester, and only they and secret keys, read it.',
    needs: ['agent', 'other agent', 'verifier', 'decider', 'observer'],
    async run(range) {
      const { main } = range;
      const { id, shown } = await main.newPermit();
      const people = main.people.map(({ token: key, role }) => [role, key] as const);
      const readers = [
        ['the verifier', main.verifierKey] as const,
        ['another agent', await main.otherAgentKey()] as const,
        ...people,
      ];
      const reading = range.operations.filter(({ method, isPublic }) => method === 'GET' && !isPublic);
      const { token } = shown;
      const parts = { ...NOBODYS, project: main.projectId, intent: id };
      for (const operation of reading) {
        const path = fillPath(operation, parts);
        for (const [who, key] of readers) {
          for (const query of ['', '?wait=0', '?limit=200']) {
            const answer = await main.call('GET', path + query, { key });
            check(!shows(answer.text, token), `GET ${path}${query} shows the permit to ${who}`, answer);
          }
        }
        // Lists show no permit to anybody.
        if (!operation.pattern.includes('/intents/{id}')) {
          for (const key of [main.agentKey, main.observer]) {
            const answer = await main.call('GET', `${path}?limit=200`, { key });
            check(!shows(answer.text, token), `GET ${path}, a list, shows the permit`, answer);
          }
        }
      }
      for (const person of main.approvers.slice(0, 1)) {
        for (const surface of main.surfaces) {
          const other = await main.newIntent();
          const approved = await surface.approve(person.token, other);
          const issued = permitOf(await surface.read(main.agentKey, other));
          check(!shows(approved.text, issued), 'approving answers with the permit', approved);
        }
      }
      for (const key of [main.agentKey, ...(main.keys.secret_key ? [main.secretKey] : [])]) {
        for (const surface of main.surfaces) {
          const own = await surface.read(key, id);
          check(permitOf(own) === token, 'those who may read it do not, so that looking shows nothing', own);
        }
      }
      return `${reading.length} reading operations, ${readers.length} readers`;
    },
  },
  {
    id: 'T02b-permit-repeated',
    title: 'answers that repeat the permit they are about',
    threats: ['2b', '19'],
    aisvs: ['9.5.4'],
    attack: 'A permit is checked, used twice, spoilt, revoked, and sent as an action, an id and a cursor.',
    expected: 'No answer repeats it, and no event.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main, inside }) {
      const { id, shown } = await main.newPermit();
      const { token } = shown;
      const [agent, key, stopper] = [main.agentKey, main.observer, main.stopper];
      const answers = [];
      for (const surface of main.surfaces) {
        for (const more of [
          {},
          { action: 'other' },
          { token: `${token}x` },
          { consume: true },
          { consume: true },
        ])
          answers.push(await surface.verify(main.verifierKey, { ...shown, ...more }));
        answers.push(
          await surface.create(agent, token),
          await surface.create(agent, 'a', {}, { [token]: token, approvers: [token] }),
        );
      }
      const revoke = (body: object) => main.call('POST', '/v1/permits/revoke', { key: stopper, body });
      answers.push(
        await main.call('GET', `/v1/intents/${token}`, { key }),
        await main.call('GET', `/api/intents?cursor=${token.slice(0, 190)}`, { key }),
        await revoke({ token, intent_id: id }),
        await revoke({ token, reason: 'because' }),
      );
      for (const answer of answers)
        check(!answer.text.includes(token.slice(0, 100)), 'an answer repeats the permit', answer);
      check(!shows(JSON.stringify(inside?.written(0) ?? []), token), 'an event holds the permit');
      return `${answers.length} answers`;
    },
  },
  {
    id: 'T02b-others-part',
    title: 'a part in an intent that is somebody else’s',
    threats: ['2b'],
    aisvs: ['9.4.1'],
    attack:
      'Another person’s service takes an agent’s permit afresh and withdraws its request; the agent reports the outcome of what an executor used.',
    expected: '403 that names whose part it is; nothing changed.',
    needs: ['agent', 'verifier', 'decider', 'manager', 'observer'],
    async run({ main }) {
      const service = await main.newKey({ kind: 'secret' });
      const { id, shown } = await main.newPermit();
      const pending = await main.newIntent();
      const used = await main.newPermit();
      const use = { ...used.shown, consume: true };
      expectDone(await main.surfaces[1].verify(main.verifierKey, use), 'using a permit');
      const outcome = { outcome: 'succeeded' };
      for (const [path, key, body, required] of [
        [`${id}/permit`, service.key, {}, 'requester'],
        [`${pending}/withdraw`, service.key, {}, 'requester'],
        [`${used.id}/outcome`, main.agentKey, outcome, 'consumer'],
      ] as const) {
        const watched = { intents: [id, pending], whole: false, recorded: true };
        await main.unchanged('another’s part', watched, async () => {
          const answer = await main.call('POST', `/v1/intents/${path}`, { key, body });
          expectRefused('B', answer, 403, 'FORBIDDEN', `POST ${path}`, { required });
        });
      }
      const again = expectDone(await main.surfaces[1].verify(main.verifierKey, shown), 'checking it');
      check(again.body.authorizes === true, 'the permit does not hold any more', again);
    },
  },
];
