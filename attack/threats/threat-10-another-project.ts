/** Threat 10: ids and tokens of another project are, on every operation, as if there were no such thing. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectAlike, expectDone, expectStatus } from '../range/expect.ts';
import { fillPath } from '../range/operations.ts';
import { NOBODYS } from '../tables/nobodys-things.ts';
import type { PathParts } from '../tables/path-parts.ts';
import { SOUND_BODIES } from '../tables/sound-bodies.ts';

export const ANOTHER_PROJECT: readonly CatalogueEntry[] = [
  {
    id: 'T10-operations',
    title: 'another project’s credentials on every operation',
    threats: ['10'],
    aisvs: ['9.4.1', '9.5.1', '9.5.2'],
    attack:
      'With secret, agent and verifier keys of another project every operation is called on this project’s ids.',
    expected:
      '404, or 403 where the key may not at all; told apart in nothing from ids of nobody. Nothing changed.',
    needs: ['agent', 'observer', 'project-wide', 'neighbour'],
    async run(range) {
      const { main, neighbour } = range;
      const canMake = main.canManage;
      const ours: PathParts = {
        project: main.projectId,
        intent: await main.newIntent(),
        agent: canMake ? (await main.newAgent()).id : NOBODYS.agent,
        key: canMake ? (await main.newKey({ kind: 'verify' })).id : NOBODYS.key,
        user: canMake ? (await main.newMember('viewer')).id : NOBODYS.user,
        group: NOBODYS.group,
        proposal: NOBODYS.proposal,
        webhook: NOBODYS.webhook,
        upstream: NOBODYS.upstream,
        delivery: NOBODYS.delivery,
      };
      const named = range.operations.filter(({ pattern, isPublic }) => pattern.includes('{') && !isPublic);
      await main.unchanged('another project’s keys', { intents: [ours.intent], recorded: true }, async () => {
        for (const key of [neighbour.secretKey, neighbour.agentKey, neighbour.verifierKey]) {
          for (const operation of named) {
            const { method, route } = operation;
            const body = method === 'GET' || method === 'DELETE' ? undefined : (SOUND_BODIES[route] ?? {});
            const foreign = await main.call(method, fillPath(operation, ours), { key, body });
            const nothing = await main.call(method, fillPath(operation, NOBODYS), { key, body });
            expectStatus(foreign, [403, 404], `${route} on another project`);
            expectAlike(foreign, nothing, `${route}: another project’s ids and none`);
          }
        }
      });
      return `${named.length} operations, 3 kinds of key`;
    },
  },
  {
    id: 'T10-in-bodies',
    title: 'another project’s ids in bodies',
    threats: ['10'],
    aisvs: ['9.5.2'],
    attack: 'A neighbour’s secret key revokes this project’s approvals, by intent and by permit.',
    expected: '404 as for an id of nobody; the permit still holds.',
    needs: ['agent', 'verifier', 'decider', 'neighbour'],
    async run({ main, neighbour }) {
      const { id, shown } = await main.newPermit();
      const revoke = (body: object) =>
        main.call('POST', '/v1/permits/revoke', { key: neighbour.secretKey, body });
      const foreign = await revoke({ intent_id: id });
      expectStatus(foreign, 404, 'revoking by intent');
      expectAlike(foreign, await revoke({ intent_id: NOBODYS.intent }), 'another project’s intent and none');
      expectStatus(await revoke({ token: shown.token }), 404, 'revoking by permit');
      const still = await main.surfaces[1].verify(main.verifierKey, shown);
      check(still.body.authorizes === true, 'the permit does not hold any more', still);
      return undefined;
    },
  },
  {
    id: 'T10-lists',
    title: 'another project’s lists, filters and cursors',
    threats: ['10'],
    aisvs: ['9.5.2'],
    attack:
      'A neighbour lists intents, agents, keys, people and events, with this project’s ids as filters and cursors.',
    expected: 'Nothing of this project is in any answer.',
    needs: ['agent', 'neighbour'],
    async run({ main, neighbour }) {
      const intent = await main.newIntent();
      const root = neighbour.root;
      const paths = [
        `/api/intents?cursor=${intent}&limit=200`,
        '/api/intents?limit=200',
        `${root}/audit?intent_id=${intent}`,
        `${root}/audit?limit=200`,
        `${root}/agents?limit=200`,
        `${root}/keys?limit=200`,
        `${root}/members?limit=200`,
      ];
      for (const path of paths) {
        const answer = await main.call('GET', path, { key: neighbour.secretKey });
        check(answer.status < 500, `${path} is answered with ${answer.status}`, answer);
        for (const ours of [intent, main.projectId])
          check(!answer.text.includes(ours), `${path} shows ${ours}`, answer);
      }
      expectDone(await main.call('GET', '/api/intents', { key: neighbour.secretKey }), 'a list of its own');
      return undefined;
    },
  },
];
