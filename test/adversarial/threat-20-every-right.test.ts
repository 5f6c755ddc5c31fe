/**
 * Threats 1 and 20: every cell of docs/rights.md, tested at a gate. If a caller has the right, the gate judges the
 * request. A caller without the right is refused before the gate reads a byte of the body, the refusal is recorded, and
 * nothing changes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, type Role } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODYS } from '../../attack/tables/nobodys-things.ts';
import { SOUND_BODIES } from '../../attack/tables/sound-bodies.ts';
import { type CredentialKind, MAY } from '../../attack/tables/who-may.ts';
import { createKey } from '../../packages/server/src/people/keys/create-key.ts';
import { createUserToken } from '../../packages/server/src/people/keys/user-token.ts';
import { OPERATOR, OWNER_EMAIL, type Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { type FilledRoute, routesOf } from './routes-of.ts';
import { expectRefused, idOf, surfaceOf } from './surfaces.ts';

/** This route takes a form, as its standard requires, so it refuses JSON by its media type alone. */
const TAKES_A_FORM = 'POST /v1/permits/introspect';
/** This route accepts the caller, and answers that the request has to accept a stream. */
const OPENS_A_STREAM = 'GET /mcp';

const HALF_A_BODY = '{"decision":"approve","approved_by":';
/** Longer than the time for which a sign-in counts as presence. */
const SIXTEEN_MINUTES = 16 * 60;

interface Cell {
  route: string;
  column: string;
  /** The lowest role that may call the route; null: none. For keys without a person, the lowest role of all. */
  least: Role | null;
  testModeOnly: boolean;
  present: boolean;
}

function readTable(): { columns: readonly string[]; cells: readonly Cell[] } {
  const text = readFileSync(join(import.meta.dirname, '../../docs/rights.md'), 'utf8');
  // The table before this one explains the words.
  const [head = [], , ...rows] = text
    .slice(text.indexOf('| operation |'))
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

/** Each column with each role. A key without a person counts once. */
const CREDENTIALS = TABLE.columns.flatMap((column) =>
  WITHOUT_A_PERSON.includes(column)
    ? [[column, 'viewer'] as const]
    : ROLES.map((role) => [column, role] as const),
);

const isOpen = ({ least, testModeOnly }: Cell, role: Role, mode: 'live' | 'test') =>
  least !== null && ROLES.indexOf(role) >= ROLES.indexOf(least) && !(testModeOnly && mode === 'live');

/** Routes for a person's own account: only sessions can use them, and the table leaves them out. */
const LISTED = new Set(TABLE.cells.map(({ route }) => route));
const OWN_ACCOUNT = routesOf({ ...NOBODYS })
  .map(({ route }) => route)
  .filter((route) => !LISTED.has(route));

it('the table of rights has every operation that takes a credential, except those on the caller’s own account', () => {
  expect(OWN_ACCOUNT.filter((route) => !route.includes(' /console/'))).toEqual([]);
  expect(LISTED.size).toBeGreaterThan(90);
});

it('the table of rights equals what the contract gives each kind of credential', () => {
  const kinds: Record<CredentialKind, readonly [column: string, role: Role]> = {
    'agent key': ['agent key', 'viewer'],
    'verifier key': ['verifier key', 'viewer'],
    'token of a viewer, with every right': ['token to manage', 'viewer'],
    'token of an approver, with every right': ['token to decide', 'approver'],
    'token of the owner, without rights': ['token to read', 'owner'],
    'token of the owner, to decide only': ['token to decide', 'owner'],
    'token of the owner, to manage only': ['token to manage', 'owner'],
    'secret key of an approver': ['secret key', 'approver'],
    'secret key of a viewer': ['secret key', 'viewer'],
    'secret key of the owner': ['secret key', 'owner'],
  };
  for (const [kind, [column, role]] of Object.entries(kinds) as [CredentialKind, [string, Role]][]) {
    const inTable = (mode: 'live' | 'test') =>
      TABLE.cells
        .filter((cell) => cell.column === column && isOpen(cell, role, mode))
        .map(({ route }) => route);
    expect(inTable('live').toSorted(), `${kind}, live`).toEqual(
      [...new Set<string>(MAY[kind].inLive)].toSorted(),
    );
    expect(inTable('test').toSorted(), `${kind}, test`).toEqual(
      [...new Set<string>(MAY[kind].inTest)].toSorted(),
    );
  }
});

describe.each(['live', 'test'] as const)('in %s mode', (mode) => {
  let t: Arena;
  let routes: ReadonlyMap<string, FilledRoute>;
  /** The same routes with IDs that name nothing, so that an allowed call deletes nothing. */
  let absent: ReadonlyMap<string, FilledRoute>;
  const people = new Map<Role, Person>();
  const keys = new Map<string, { key: string; actorId: string }>();

  beforeAll(async () => {
    t = await openArena({ mode });
    for (const role of ROLES) {
      const email = role === 'owner' ? OWNER_EMAIL : `${role}@example.org`;
      people.set(role, role === 'owner' ? t.owner : await t.addPerson(email, role));
      const { key, caller } = await t.addService(email);
      keys.set(`secret key ${role}`, { key, actorId: caller.credentialId });
    }
    keys.set('agent key viewer', { key: t.first.agent_key, actorId: t.agentId });
    keys.set('verifier key viewer', { key: t.first.verifier_key, actorId: t.verifier.credentialId });
    const { record } = await createKey(t.gate, OPERATOR, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'another key',
    });
    const lifetime = { expires_in: 2_592_000 };
    const path = `/v1/projects/${t.projectId}`;
    const policy = { name: 'p', default: { approvers: ['role:owner'] }, rules: [] };
    const prepare = (method: string, url: string, body: object) =>
      t.call(method, url, { present: t.owner, body });
    const group = await prepare('PUT', `${path}/groups/finance`, { members: ['approver@example.org'] });
    expect(group.status).toBe(200);
    const parts = {
      project: t.projectId,
      intent: idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', { amount: 5 }, lifetime)),
      agent: t.agentId,
      key: record.id,
      user: people.get('approver')?.userId ?? '',
      group: 'finance',
      proposal: idOf(await prepare('POST', `${path}/policies/proposals`, { policy })),
      ...(await t.addWebhook()),
      ...(await t.addUpstream()),
    };
    routes = byName(routesOf(parts));
    absent = byName(routesOf({ ...NOBODYS, project: t.projectId }));
  });
  afterAll(() => t.close());

  const byName = (list: readonly FilledRoute[]) => new Map(list.map((route) => [route.route, route]));

  /** The credential's headers, and its actor. Created again for each batch, because the test's clock moves by hours. */
  async function sentBy(
    column: string,
    role: Role,
  ): Promise<{ as: { key?: string; headers?: Record<string, string> }; actorId: string }> {
    const person = people.get(role);
    const actorId = person?.userId ?? '';
    if (column === 'session') return { as: { headers: (await person?.signIn())?.headers ?? {} }, actorId };
    if (!column.startsWith('token')) {
      const known = keys.get(`${column} ${role}`);
      return { as: { key: known?.key ?? '' }, actorId: known?.actorId ?? '' };
    }
    const rights = (['decide', 'manage'] as const).filter((right) => column.endsWith(right));
    const email = person?.email ?? '';
    const { key } = await createUserToken(t.gate, OPERATOR, { name: column, email, rights });
    return { as: { key }, actorId };
  }

  /** The status, code and `required` of a refusal, if it is one. */
  async function ask(
    { route, method, path }: FilledRoute,
    as: object,
  ): Promise<readonly [string, number, unknown, unknown]> {
    const bodyless = method === 'GET' || method === 'DELETE';
    const { status, body } = await t.call(method, path, {
      ...as,
      ...(bodyless ? {} : { body: HALF_A_BODY }),
    });
    const { code, required } = (status < 400 ? {} : (body.error ?? {})) as Record<string, unknown>;
    return [route, status, code, required];
  }
  const inWordsOf = (route: string, codeOnA: string, codeOnB: string) =>
    surfaceOf(routes.get(route)?.path ?? '') === 'A' ? codeOnA : codeOnB;

  async function expectForbidden(forbidden: readonly string[], column: string, role: Role): Promise<void> {
    // The gate records at most ten refusals a minute for each credential.
    for (let first = 0; first < forbidden.length; first += 10) {
      t.clock.advance(60);
      const batch = forbidden.slice(first, first + 10);
      const { as, actorId } = await sentBy(column, role);
      const start = t.now();
      const answers: unknown[] = [];
      await t.expectUnchanged(
        async () => {
          for (const route of batch) answers.push(await ask(routes.get(route) as FilledRoute, as));
        },
        batch.map(() => 'access.refused'),
      );
      const required = expect.stringMatching(/:|^session$/);
      expect(answers).toEqual(
        batch.map((route) => [route, 403, inWordsOf(route, 'FORBIDDEN', 'forbidden'), required]),
      );
      expect(t.written(start)).toMatchObject(
        batch.map((route) => ({ actorId, projectId: t.projectId, data: { route } })),
      );
    }
  }

  async function expectLetIn(open: readonly string[], column: string, role: Role): Promise<void> {
    const { as } = await sentBy(column, role);
    const answers: unknown[] = [];
    await t.expectUnchanged(async () => {
      for (const route of open) {
        const among = route.startsWith('DELETE ') ? absent : routes;
        answers.push((await ask(among.get(route) as FilledRoute, as)).slice(0, 3));
      }
    });
    expect(answers).toEqual(open.map((route) => [route, ...judged(route)]));
  }

  /** The response to half a body if the gate reads the request. */
  function judged(route: string): readonly [number, unknown] {
    if (route.startsWith('DELETE ')) return [404, expect.any(String)];
    if (route === OPENS_A_STREAM) return [405, undefined];
    // No shadow policy is set, so deleting it changes nothing.
    if (route.startsWith('GET ') && route.includes('/shadow')) return [404, 'not_found'];
    if (route.startsWith('GET ')) return [200, undefined];
    if (route === TAKES_A_FORM) return [415, 'unsupported_media_type'];
    return [400, inWordsOf(route, 'INVALID_FIELDS', 'invalid_request')];
  }

  async function expectPresenceAsked(cells: readonly Cell[], role: Role): Promise<void> {
    const { as } = await sentBy('session', role);
    t.clock.advance(SIXTEEN_MINUTES);
    await t.expectUnchanged(async () => {
      for (const { route } of cells) {
        const { method, path } = routes.get(route) as FilledRoute;
        const body = method === 'DELETE' ? undefined : (SOUND_BODIES[route] ?? {});
        const answer = await t.call(method, path, { ...as, body });
        expectRefused(surfaceOf(path), answer, 403, 'PROOF_REQUIRED');
      }
    });
  }

  it.each(CREDENTIALS)(
    '%s (%s) is let in where the table of rights says so, and nowhere else',
    async (column, role) => {
      const cells = TABLE.cells.filter((cell) => cell.column === column);
      const open = cells.filter((cell) => isOpen(cell, role, mode));
      const forbidden = cells.filter((cell) => !open.includes(cell)).map(({ route }) => route);
      await expectForbidden([...forbidden, ...(column === 'session' ? [] : OWN_ACCOUNT)], column, role);
      await expectLetIn(
        open.map(({ route }) => route),
        column,
        role,
      );
      await expectPresenceAsked(
        open.filter(({ present }) => present),
        role,
      );
    },
  );
});
