/** Threat 20: every cell of docs/rights.md, at a gate: who is let in is let in, all others are refused and change nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, type Role } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODYS } from '../../attack/tables/nobodys-things.ts';
import { SOUND_BODIES } from '../../attack/tables/sound-bodies.ts';
import { createKey } from '../../packages/server/src/people/keys/create-key.ts';
import { createUserToken } from '../../packages/server/src/people/keys/user-token.ts';
import { OPERATOR, OWNER_EMAIL, type Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { doorOf, expectRefused, idOf } from './doors.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { type FilledRoute, routesOf } from './routes-of.ts';

const HALF_A_BODY = '{"decision":"approve","approved_by":';
/** More than a sign-in counts as presence. */
const SIXTEEN_MINUTES = 16 * 60;

interface Cell {
  route: string;
  column: string;
  /** The least role; null: nobody. For keys without a person, the lowest one. */
  least: Role | null;
  testModeOnly: boolean;
  present: boolean;
}

function readTable(): { columns: readonly string[]; cells: readonly Cell[] } {
  const text = readFileSync(join(import.meta.dirname, '../../docs/rights.md'), 'utf8');
  const [head = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
  const columns = head.slice(2);
  const cells = rows.flatMap(([route = '', , ...words]) =>
    columns.map((column, at) => toCell(route.replaceAll('`', ''), column, words[at] ?? '')),
  );
  return { columns, cells };
}

function toCell(route: string, column: string, words: string): Cell {
  const [word = '', more = ''] = words.split(', ');
  const least = word === 'yes' ? ROLES[0] : ROLES.find((role) => role === word);
  if (least === undefined && word !== '–') throw new Error(`${route}, ${column}: ${words}`);
  if (!['', 'present', 'test mode only'].includes(more)) throw new Error(`${route}, ${column}: ${words}`);
  return {
    route,
    column,
    least: least ?? null,
    testModeOnly: more === 'test mode only',
    present: more === 'present',
  };
}

const TABLE = readTable();
const WITHOUT_A_PERSON = ['agent key', 'verifier key'];

/** Each column with each role; a key that has no person behind it, once. */
const CREDENTIALS = TABLE.columns.flatMap((column) =>
  WITHOUT_A_PERSON.includes(column)
    ? [[column, 'viewer'] as const]
    : ROLES.map((role) => [column, role] as const),
);

it('the table holds every operation that takes a credential, but those on one’s own account', () => {
  const listed = new Set(TABLE.cells.map(({ route }) => route));
  const missing = routesOf({ ...NOBODYS }).filter(({ route }) => !listed.has(route));
  expect(missing.filter(({ route }) => !route.includes(' /console/'))).toEqual([]);
  expect(listed.size).toBeGreaterThan(90);
});

describe.each(['live', 'test'] as const)('in %s mode', (mode) => {
  let t: Arena;
  let routes: ReadonlyMap<string, FilledRoute>;
  /** The same, of things that are not there: a request that is let in deletes nothing. */
  let absent: ReadonlyMap<string, FilledRoute>;
  const people = new Map<Role, Person>();
  const keys = new Map<string, string>();

  beforeAll(async () => {
    t = await openArena({ mode });
    for (const role of ROLES) {
      const email = role === 'owner' ? OWNER_EMAIL : `${role}@example.org`;
      people.set(role, role === 'owner' ? t.owner : await t.addPerson(email, role));
      keys.set(`secret key ${role}`, (await t.addService(email)).key);
    }
    keys.set('agent key viewer', t.first.agent_key);
    keys.set('verifier key viewer', t.first.verifier_key);
    const { record } = await createKey(t.gate, OPERATOR, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'another key',
    });
    const lifetime = { expires_in: 2_592_000 };
    const parts = {
      project: t.projectId,
      intent: idOf(await t.doors[1].create(t.first.agent_key, 'payments.refund', { amount: 5 }, lifetime)),
      agent: t.agentId,
      key: record.id,
      user: people.get('approver')?.userId ?? '',
      group: 'finance',
      proposal: NOBODYS.proposal,
      ...(await t.addWebhook()),
      ...(await t.addUpstream()),
    };
    routes = byName(routesOf(parts));
    absent = byName(routesOf({ ...NOBODYS, project: t.projectId }));
  });
  afterAll(() => t.close());

  const byName = (list: readonly FilledRoute[]) => new Map(list.map((route) => [route.route, route]));

  /** What this credential sends; made again for each batch of requests, since hours pass. */
  async function sentBy(
    column: string,
    role: Role,
  ): Promise<{ key?: string; headers?: Record<string, string> }> {
    const person = people.get(role);
    if (column === 'session') return { headers: (await person?.signIn())?.headers ?? {} };
    if (!column.startsWith('token')) return { key: keys.get(`${column} ${role}`) ?? '' };
    const rights = (['decide', 'manage'] as const).filter((right) => column.endsWith(right));
    const email = person?.email ?? '';
    return { key: (await createUserToken(t.gate, OPERATOR, { name: column, email, rights })).key };
  }

  async function expectForbidden(cells: readonly Cell[], column: string, role: Role): Promise<void> {
    // Refusals are written down ten times a minute and credential.
    for (let first = 0; first < cells.length; first += 10) {
      t.clock.advance(60);
      const batch = cells.slice(first, first + 10);
      const sent = await sentBy(column, role);
      await t.expectUnchanged(
        async () => {
          for (const { route } of batch) {
            const { method, path } = routes.get(route) as FilledRoute;
            const bodyless = method === 'GET' || method === 'DELETE';
            const answer = await t.call(method, path, {
              ...sent,
              ...(bodyless ? {} : { body: HALF_A_BODY }),
            });
            expectRefused(doorOf(path), answer, 403, 'FORBIDDEN');
          }
        },
        batch.map(() => 'access.refused'),
      );
    }
  }

  async function expectLetIn(cells: readonly Cell[], column: string, role: Role): Promise<void> {
    const sent = await sentBy(column, role);
    await t.expectUnchanged(async () => {
      for (const { route } of cells) {
        const { method, path } = (route.startsWith('DELETE ') ? absent : routes).get(route) as FilledRoute;
        const bodyless = method === 'GET' || method === 'DELETE';
        const answer = await t.call(method, path, { ...sent, ...(bodyless ? {} : { body: HALF_A_BODY }) });
        expect(judgementOf(answer), `${route}: ${answer.text}`).toBe(bodyless ? 'answered' : 'judged');
      }
    });
  }

  async function expectPresenceAsked(cells: readonly Cell[], role: Role): Promise<void> {
    const { headers } = await sentBy('session', role);
    t.clock.advance(SIXTEEN_MINUTES);
    await t.expectUnchanged(async () => {
      for (const { route } of cells) {
        const { method, path } = routes.get(route) as FilledRoute;
        const body = method === 'DELETE' ? undefined : (SOUND_BODIES[route] ?? {});
        const answer = await t.call(method, path, { ...(headers ? { headers } : {}), body });
        expectRefused(doorOf(path), answer, 403, 'PROOF_REQUIRED');
      }
    });
  }

  it.each(CREDENTIALS)('%s, %s: let in where the table says so, and nowhere else', async (column, role) => {
    const cells = TABLE.cells.filter((cell) => cell.column === column);
    const isOpen = ({ least, testModeOnly }: Cell) =>
      least !== null && ROLES.indexOf(role) >= ROLES.indexOf(least) && !(testModeOnly && mode === 'live');
    const open = cells.filter(isOpen);
    await expectForbidden(
      cells.filter((cell) => !isOpen(cell)),
      column,
      role,
    );
    await expectLetIn(open, column, role);
    await expectPresenceAsked(
      open.filter(({ present }) => present),
      role,
    );
  });
});

/** Whether the gate looked at the request itself. */
function judgementOf({ status }: Answer): 'answered' | 'judged' | 'refused' {
  if ([400, 415].includes(status)) return 'judged';
  return [200, 404, 405].includes(status) ? 'answered' : 'refused';
}
