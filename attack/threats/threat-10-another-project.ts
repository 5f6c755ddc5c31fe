/** Threat 10: on every operation, IDs and tokens of another project behave as if they did not exist. */
import { isDeepStrictEqual } from 'node:util';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectAlike, expectDone, expectRefused, expectStatus, idOf } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { makeThings } from '../range/make-things.ts';
import { fillPath, type Operation } from '../range/operations.ts';
import type { Range } from '../range/range.ts';
import { type Stage, withoutLastUse } from '../range/stage.ts';
import { NOBODYS } from '../tables/nobodys-things.ts';
import type { PathParts } from '../tables/path-parts.ts';
import { SOUND_BODIES } from '../tables/sound-bodies.ts';
import { NotProvided } from '../undefended.ts';

/** Invalid IDs with which a careless look-up finds something. */
const LIKE_IDS = [
  '1',
  '0',
  '-1',
  'null',
  'int_',
  'INT_01HZZZZZZZZZZZZZZZZZZZZZZZ',
  '%27%20or%201=1--',
  '*',
  '%25',
  '.',
  '__proto__',
  'constructor',
];

/** Spells every letter as `%XX`. */
const encoded = (text: string) =>
  [...text].map((char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`).join('');

/**
 * The dashboard's own routes accept no key, whatever IDs they name. The exception is the route that people's programs
 * read.
 */
const isNamed = ({ route, pattern, isPublic }: Operation) =>
  !isPublic &&
  pattern.includes('{') &&
  (!pattern.startsWith('/console/') || route === 'GET /console/intents/:id');
const isBelow = ({ pattern, method }: Operation) =>
  /\{(agent_id|key_id|user_id|name|proposal_id|webhook_id|upstream_id)\}/.test(pattern) && method !== 'PUT';

function callOn(stage: Stage, { method, route }: Operation, path: string, key: string): Promise<Answer> {
  const body = method === 'GET' || method === 'DELETE' ? undefined : (SOUND_BODIES[route] ?? {});
  return stage.call(method, path, { key, body });
}

/** Expects that a caller cannot tell our IDs from IDs that name nothing. Returns how many operations answer 404. */
async function compare(
  { main, inside }: Range,
  key: string,
  operations: readonly Operation[],
  [ours, nobodys]: readonly [PathParts, PathParts],
): Promise<number> {
  let notFound = 0;
  const position = inside?.position() ?? 0;
  for (const operation of operations) {
    const foreign = await callOn(main, operation, fillPath(operation, ours), key);
    const nothing = await callOn(main, operation, fillPath(operation, nobodys), key);
    expectStatus(foreign, [403, 404], `${operation.route} on another project`);
    expectAlike(foreign, nothing, `${operation.route}: another project’s ids and none`);
    if (foreign.status === 404) notFound += 1;
  }
  const here = inside?.written(position).filter(({ projectId }) => projectId === main.projectId) ?? [];
  check(here.length === 0, 'it is in the log of a project that is not the caller’s');
  return notFound;
}

export const ANOTHER_PROJECT: readonly CatalogueEntry[] = [
  {
    id: 'T10-operations',
    title: 'another project’s credentials on every operation',
    threats: ['10'],
    aisvs: ['9.4.1', '9.5.1', '9.5.2'],
    attack:
      'With keys of every kind of other projects every operation is called on this project’s ids, and on its things below their own project.',
    expected:
      '404, or 403 where the key may not at all; told apart in nothing from ids of nobody. Nothing changed.',
    needs: ['agent', 'observer', 'project-wide', 'neighbour'],
    async run(range) {
      const { main, neighbour } = range;
      const ours = await makeThings(main);
      const named = range.operations.filter(isNamed);
      const below = named.filter(isBelow);
      for (const stage of new Set([neighbour, ...range.ofEachMode.slice(1)])) {
        const owner = stage.people.find(({ role }) => role === 'owner')?.token;
        const others = [stage.agentKey, stage.verifierKey, ...(owner ? [owner] : [])];
        const project = stage.projectId;
        const watched = { intents: [ours.intent], recorded: true };
        await main.unchanged('another project’s keys', watched, async () => {
          for (const key of [stage.observer, ...others]) {
            const found = await compare(range, key, named, [ours, NOBODYS]);
            const there = { project };
            const lower = [
              { ...ours, ...there },
              { ...NOBODYS, ...there },
            ] as const;
            const foundBelow = await compare(range, key, below, lower);
            // This key can do everything in its own project, so only the ID is a reason to refuse the request.
            const isByIdAlone = stage.mode === 'test' && key === stage.keys.secret_key;
            const isKeptOut = found === named.length && foundBelow === below.length;
            check(!isByIdAlone || isKeptOut, `${found} of ${named.length} operations are not found`);
          }
        });
      }
      return `${named.length} operations, 4 kinds of key`;
    },
  },
  {
    id: 'T10-in-bodies',
    title: 'another project’s ids in bodies',
    threats: ['10'],
    aisvs: ['9.5.2'],
    attack:
      'A neighbour revokes this project’s approvals, by intent and by permit; names its people as approvers and in a group; makes a key of its agent.',
    expected: 'As for an id of nobody; the permit still holds.',
    needs: ['agent', 'verifier', 'decider', 'observer', 'neighbour'],
    async run({ main, neighbour }) {
      const { id, shown } = await main.newPermit();
      const revoke = (body: object) =>
        main.call('POST', '/v1/permits/revoke', { key: neighbour.secretKey, body });
      await main.unchanged('revoking', { intents: [id], whole: false }, async () => {
        const foreign = await revoke({ intent_id: id });
        expectRefused('B', foreign, 404, 'INTENT_NOT_FOUND', 'revoking by intent');
        expectAlike(
          foreign,
          await revoke({ intent_id: NOBODYS.intent }),
          'another project’s intent and none',
        );
        const byPermit = await revoke({ token: shown.token });
        expectRefused('B', byPermit, 404, 'INTENT_NOT_FOUND', 'revoking by permit');
      });
      const still = await main.surfaces[1].verify(main.verifierKey, shown);
      check(still.body.authorizes === true, 'the permit does not hold any more', still);
      if (!main.canManage || !neighbour.canManage) return 'revoking alone: nobody here manages';

      const ours = await makeThings(main);
      const agent = await main.newAgent();
      const person = await main.newMember('approver');
      expectDone(await main.manage('POST', `/agents/${agent.id}/revoke`, {}), 'revoking an agent');
      const action = neighbour.action('theirs');
      for (const surface of neighbour.surfaces) {
        for (const source of [agent.name, agent.id]) {
          const more = { source, expires_in: 60 };
          const made = await surface.create(neighbour.secretKey, action, {}, more);
          check(made.status === 201, 'a label is taken for an agent of another project', made);
        }
        await main.unchanged('naming our people', {}, async () => {
          for (const name of [person.email, person.id, ours.group]) {
            const asked = await surface.create(neighbour.secretKey, action, {}, { approvers: [name] });
            const what = `the approver ${name}`;
            expectRefused(surface.name, asked, 422, 'APPROVER_NOT_FOUND', what, { approvers: [name] });
          }
        });
      }
      await neighbour.unchanged('things of ours', {}, async () => {
        const mint = (agent_id: string) =>
          neighbour.manage('POST', '/keys', { kind: 'agent', name: 'x', agent_id });
        const minted = await mint(ours.agent);
        const fields = [{ path: '/agent_id' }];
        expectRefused('B', minted, 400, 'INVALID_FIELDS', 'a key of our agent', { fields });
        expectAlike(minted, await mint(NOBODYS.agent), 'a key of our agent and of none');
        const group = (member: string) => neighbour.manage('PUT', '/groups/mixed', { members: [member] });
        const hide = (answer: Answer, member: string) => {
          const { request_id: _own, ...error } = answer.body.error as Record<string, unknown>;
          return JSON.stringify([answer.status, error]).replaceAll(member, '…');
        };
        const grouped = await group(person.id);
        expectRefused('B', grouped, 400, 'INVALID_FIELDS', 'a group of our people');
        const nobody = await group(NOBODYS.user);
        check(hide(grouped, person.id) === hide(nobody, NOBODYS.user), 'it knows our people', grouped);
        expectRefused('B', await group(person.email), 400, 'INVALID_FIELDS', 'a group of our people');
      });
      return undefined;
    },
  },
  {
    id: 'T10-lists',
    title: 'another project’s lists, filters and cursors',
    threats: ['10'],
    aisvs: ['9.5.2'],
    attack:
      'A neighbour lists intents, agents, keys, people and events, with this project’s ids as filters and cursors, and tries what only looks like ids.',
    expected: 'Nothing of this project is in any answer.',
    needs: ['agent', 'neighbour'],
    async run({ main, neighbour }) {
      const ours = await makeThings(main);
      const root = neighbour.root;
      const paths = [
        `/api/intents?cursor=${ours.intent}&limit=200`,
        '/api/intents?limit=200',
        `${root}/audit?intent_id=${ours.intent}`,
        `${root}/audit?actor=${ours.agent}`,
        `${root}/audit?limit=200`,
        `${root}/agents?cursor=${ours.agent}`,
        `${root}/agents?limit=200`,
        `${root}/keys?cursor=${ours.key}`,
        `${root}/keys?limit=200`,
        `${root}/members?limit=200`,
      ];
      const owner = neighbour.people.find(({ role }) => role === 'owner')?.token;
      for (const path of paths) {
        for (const key of [neighbour.secretKey, ...(owner ? [owner] : [])]) {
          const answer = await main.call('GET', path, { key });
          check(answer.status < 500, `${path} is answered with ${answer.status}`, answer);
          for (const id of [ours.intent, ours.agent, ours.key, ours.user, ours.project])
            check(
              id === path.split('=')[1]?.split('&')[0] || !answer.text.includes(id),
              `${path} shows ${id}`,
              answer,
            );
        }
      }
      await main.unchanged('what looks like ids', { whole: false }, async () => {
        for (const id of [...LIKE_IDS, `${ours.intent}%20`, `${ours.intent}%00`]) {
          for (const door of ['/api', '/v1']) {
            const answer = await main.call('GET', `${door}/intents/${id}`, { key: neighbour.secretKey });
            expectStatus(answer, [400, 404], `${door}/intents/${id}`);
            check(!answer.text.includes(ours.intent.slice(4)), 'it is repeated', answer);
          }
        }
      });
      expectDone(await main.call('GET', '/api/intents', { key: neighbour.secretKey }), 'a list of its own');
    },
  },
  {
    id: 'T10-two-projects',
    title: 'one person in two projects',
    threats: ['10', '1'],
    aisvs: ['9.5.1'],
    attack:
      'An approver of one project, who may only look at another one, does there what they may do at home.',
    expected: '403 there for all that changes something; at home they decide as ever.',
    needs: ['agent', 'manager', 'observer', 'project-wide', 'neighbour'],
    async run(range) {
      const { main, neighbour } = range;
      const person = neighbour.approvers.find(({ role }) => role === 'approver');
      if (person === undefined) throw new NotProvided('a second project with an approver’s token');
      const ours = await makeThings(main);
      const { email, token: key } = person;
      const member = expectDone(
        await main.manage('POST', '/members', { email, role: 'viewer' }),
        'adding them',
      );
      main.takeBack(() => main.manage('DELETE', `/members/${idOf(member)}`));
      const changing = range.operations.filter(
        (operation) => isNamed(operation) && operation.method !== 'GET',
      );
      await main.unchanged('a viewer here', { intents: [ours.intent], recorded: true }, async () => {
        for (const operation of changing)
          expectStatus(await callOn(main, operation, fillPath(operation, ours), key), 403, operation.route);
        const body = { intent_id: ours.intent };
        const revoked = await main.call('POST', '/v1/permits/revoke', { key, body });
        expectRefused('B', revoked, 403, 'FORBIDDEN', 'revoking');
      });
      expectDone(await main.surfaces[0].read(key, ours.intent), 'reading');
      const theirs = await neighbour.newIntent();
      const approved = expectDone(await neighbour.surfaces[1].approve(key, theirs), 'approving at home');
      check(approved.body.status === 'approved', 'they do not decide at home either', approved);
      return `${changing.length} operations`;
    },
  },
  {
    id: 'T10-spellings',
    title: 'a path in another spelling',
    threats: ['10', '11'],
    aisvs: ['9.5.1'],
    attack: 'Words and ids of a path are written as escapes, with encoded slashes, to pass for another path.',
    expected:
      'It is the same path, to rights, projects, the log and idempotency keys; an encoded slash names nothing.',
    needs: ['agent', 'secret', 'neighbour'],
    async run({ main, neighbour, inside, clock }) {
      const own = `${main.root}/agents`;
      const read = (path: string, key: string) => main.call('GET', path, { key });
      const [known, strange] = [await read(own, main.secretKey), await read(own, neighbour.secretKey)];
      expectRefused('B', strange, 404, 'PROJECT_NOT_FOUND', 'another project');
      for (const path of [
        own.replace('projects', encoded('projects')),
        own.replace('projects', '%70rojects'),
        own.replace(/^\/v1/, '/%76%31'),
        own.replace(/prj_\w+/, encoded),
        own.replace('prj_', 'prj%5f'),
      ]) {
        const answer = await read(path, main.secretKey);
        check(
          isDeepStrictEqual(withoutLastUse(answer.body), withoutLastUse(known.body)),
          `${path} answers otherwise`,
          answer,
        );
        expectAlike(await read(path, neighbour.secretKey), strange, `${path} to another project`);
        if (inside) await clock.pass(60);
        const position = inside?.position() ?? 0;
        const made = await main.call('POST', path, { key: main.agentKey, body: { name: 'x' } });
        expectRefused('B', made, 403, 'FORBIDDEN', `POST ${path}`);
        const told = inside?.written(position).map(({ projectId, data }) => `${projectId} ${data.route}`);
        const expected = `${main.projectId} POST /v1/projects/:id/agents`;
        check(told === undefined || told.join() === expected, `the log tells of ${told}`);
      }
      const ids = new Set<unknown>();
      for (const path of ['/v1/intents', '/%76%31/intents', '/v1/%69ntents', `/v1/${encoded('intents')}`]) {
        const headers = { 'idempotency-key': main.action('spelled') };
        const body = { action: main.action('spelled'), expires_in: 60 };
        const made = await main.call('POST', path, { key: main.agentKey, headers, body });
        ids.add(expectDone(made, path).body.id);
      }
      check(ids.size === 1, `one request in ${ids.size} spellings is carried out as often`);
      const onA = await read('/%61pi/intents/int_none', main.agentKey);
      expectRefused('A', onA, 404, 'INTENT_NOT_FOUND', 'surface A in another spelling');
      for (const id of [
        `${neighbour.projectId}%2F..%2F${main.projectId}`,
        `${main.projectId}%2Fagents`,
        `%2F${main.projectId}`,
      ]) {
        const answer = await read(`/v1/projects/${id}/agents`, main.secretKey);
        expectRefused('B', answer, 404, 'PROJECT_NOT_FOUND', id);
      }
    },
  },
];
