/** Threat 2b: what one agent asked for does not exist for another, and permits are shown to their requester only. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectAlike, expectDone, expectRefused, expectStatus, permitOf } from '../range/expect.ts';
import { fillPath } from '../range/operations.ts';

const UNKNOWN = 'int_01hzzzzzzzzzzzzzzzzzzzzzzz';

function attemptsOn(id: string): readonly (readonly [string, string, object?])[] {
  return [
    ['GET', `/api/intents/${id}`],
    ['GET', `/v1/intents/${id}`],
    // Held for a minute, were it there: the answer must come at once.
    ['GET', `/v1/intents/${id}?wait=60`],
    ['POST', `/v1/intents/${id}/permit`, {}],
    ['POST', `/v1/intents/${id}/withdraw`, {}],
    ['POST', `/v1/intents/${id}/outcome`, { outcome: 'succeeded' }],
  ];
}

/** Any part would do; this one is in no other token. */
const signatureOf = (token: string) => token.split('.')[2] ?? '';

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
      for (const id of [await main.newIntent(), (await main.newPermit()).id]) {
        await main.unchanged('another agent', { intents: [id], whole: false }, async () => {
          const unknown = attemptsOn(UNKNOWN);
          for (const [index, [method, path, body]] of attemptsOn(id).entries()) {
            const answer = await main.call(method, path, { key, body });
            expectStatus(answer, 404, `${method} of another agent’s intent`);
            const nothing = await main.call(method, unknown[index]?.[1] ?? '', { key, body });
            expectAlike(answer, nothing, 'another agent’s intent and none');
          }
        });
        const list = expectDone(await main.call('GET', '/api/intents?limit=200', { key }), 'listing');
        check(!list.text.includes(id), 'the list of another agent shows it', list);
      }
      return undefined;
    },
  },
  {
    id: 'T02b-stolen-permit',
    title: 'a stolen permit in another agent’s hands',
    threats: ['2b'],
    aisvs: ['9.4.1', '9.5.5'],
    attack: 'An agent that got hold of another’s permit checks it and uses it with its own key.',
    expected: '404; the permit stays unused for its owner.',
    needs: ['agent', 'other agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const key = await main.otherAgentKey();
      const permit = await main.newPermit();
      await main.unchanged('a stolen permit', { intents: [permit.id], whole: false }, async () => {
        for (const surface of main.surfaces) {
          for (const consume of [false, true]) {
            const answer = await surface.verify(key, { ...permit.shown, consume });
            expectRefused(surface.name, answer, 404, 'INTENT_NOT_FOUND', 'a stolen permit');
          }
        }
      });
      return undefined;
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
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run(range) {
      const { main } = range;
      const { id, shown } = await main.newPermit();
      const people = main.people.map(({ token: key, role }) => [role, key] as const);
      const readers = [['the verifier', main.verifierKey] as const, ...people];
      const reading = range.operations.filter(({ method, isPublic }) => method === 'GET' && !isPublic);
      const parts = {
        project: main.projectId,
        intent: id,
        agent: 'x',
        key: 'x',
        user: 'x',
        group: 'x',
        proposal: 'x',
        webhook: 'x',
        upstream: 'x',
        delivery: 'x',
      };
      const signature = signatureOf(shown.token);
      for (const operation of reading) {
        const path = fillPath(operation, parts);
        for (const [who, key] of readers) {
          const answer = await main.call('GET', path, { key });
          check(!answer.text.includes(signature), `GET ${path} shows the permit to ${who}`, answer);
        }
        // Lists show none to anybody.
        if (!operation.pattern.includes('/intents/{id}')) {
          for (const key of [main.agentKey, main.observer]) {
            const answer = await main.call('GET', `${path}?limit=200`, { key });
            check(!answer.text.includes(signature), `GET ${path}, a list, shows the permit`, answer);
          }
        }
      }
      for (const person of main.approvers.slice(0, 1)) {
        for (const surface of main.surfaces) {
          const other = await main.newIntent();
          const approved = await surface.approve(person.token, other);
          const issued = permitOf(await surface.read(main.agentKey, other));
          check(!approved.text.includes(signatureOf(issued)), 'approving answers with the permit', approved);
        }
      }
      const own = await main.surfaces[1].read(main.agentKey, id);
      check(
        own.text.includes(signature),
        'not even its requester reads it, so that looking for it shows nothing',
        own,
      );
      return `${reading.length} reading operations, ${readers.length} readers`;
    },
  },
];
