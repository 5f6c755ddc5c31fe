/**
 * Writes docs/rights.md, every operation with every kind of credential, from the table of routes and the function that
 * admits requests. With `--check` it only says whether the file is up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_MODES, type ProjectMode, ROLES, type Role } from '@permitry/protocol';
import { takesPresence } from '../packages/server/src/gate/access/assert-present.ts';
import type { Caller } from '../packages/server/src/gate/access/caller.ts';
import { GateError } from '../packages/server/src/gate/kernel/errors.ts';
import { entryCheckOf } from '../packages/server/src/http/admission/entry-check.ts';
import {
  ROUTE_ACCESS,
  type RouteAccess,
  type RouteName,
} from '../packages/server/src/http/admission/route-scopes.ts';

const FILE = join(import.meta.dirname, '..', 'docs', 'rights.md');
const PROJECT = 'prj_1';
const PERSON = { id: 'usr_1', email: 'ann@example.org' };

const bound = (mode: ProjectMode) => ({ credentialId: 'key_1', projectId: PROJECT, mode, revision: 1 });
const token =
  (...rights: ('decide' | 'manage')[]) =>
  (mode: ProjectMode, role: Role): Caller => ({
    kind: 'user',
    credentialId: 'key_1',
    user: PERSON,
    rights,
    memberships: [{ projectId: PROJECT, mode, role }],
  });

/** Callers by column of the table. Callers without a person behind them have no role. */
const COLUMNS: Readonly<Record<string, (mode: ProjectMode, role: Role) => Caller>> = {
  'agent key': (mode) => ({
    kind: 'agent',
    ...bound(mode),
    agent: { id: 'agt_1', name: 'agent', status: 'active', riskTier: 'low', labels: {} } as never,
    mintedBy: null,
  }),
  'verifier key': (mode) => ({ kind: 'verify', ...bound(mode), keyName: 'verifier' }),
  'secret key': (mode, role) => ({
    kind: 'secret',
    ...bound(mode),
    keyName: 'service',
    owner: { ...PERSON, role },
  }),
  'token to read': token(),
  'token to decide': token('decide'),
  'token to manage': token('manage'),
  session: (mode, role) => ({
    kind: 'session',
    credentialId: 'ses_1',
    user: PERSON,
    memberships: [{ projectId: PROJECT, mode, role }],
    methods: ['password'],
    signedInAt: '2026-01-01T00:00:00.000Z',
    confirmedAt: '2026-01-01T00:00:00.000Z',
  }),
};

function isLetIn(route: RouteName, caller: Caller): boolean {
  try {
    entryCheckOf(route)?.(caller, PROJECT);
    return true;
  } catch (error) {
    if (error instanceof GateError && error.code === 'forbidden') return false;
    throw error;
  }
}

/** The minimum role with which this credential may call the route. Null: none. */
function leastRole(column: string, route: RouteName, mode: ProjectMode): string | null {
  const able = ROLES.filter((role) => {
    const caller = COLUMNS[column]?.(mode, role);
    return caller !== undefined && isLetIn(route, caller);
  });
  const [least] = able;
  if (least === undefined) return null;
  // Every higher role must be allowed too, because a cell of the table names only one role.
  const expected = ROLES.slice(ROLES.indexOf(least));
  if (able.length !== expected.length) throw new Error(`${route}: some roles above ${least} may not call it`);
  return column.endsWith('key') && column !== 'secret key' ? 'yes' : least;
}

function cell(column: string, route: RouteName, access: RouteAccess): string {
  const [inTest, inLive] = PROJECT_MODES.map((mode) => leastRole(column, route, mode));
  const present = column === 'session' && isScope(access) && takesPresence(access) ? ', present' : '';
  if (inLive === inTest) return inLive === null ? '–' : `${inLive}${present}`;
  if (inLive !== null || inTest === null) throw new Error(`${route}: live mode allows more than test mode`);
  return `${inTest}, test mode only`;
}

function isScope(access: RouteAccess): access is Exclude<RouteAccess, 'public' | 'session' | 'reviewer'> {
  return access.includes(':');
}

function rights(): string {
  const columns = Object.keys(COLUMNS);
  const rows = Object.entries(ROUTE_ACCESS)
    // Routes that only concern the account of the person who is signed in require a session, and nothing else.
    .filter(([, access]) => access !== 'public' && access !== 'session')
    .map(([route, access]) => {
      const cells = columns.map((column) => cell(column, route as RouteName, access));
      return `| \`${route}\` | \`${access}\` | ${cells.join(' | ')} |`;
    });
  return `${HEAD}
| operation | right | ${columns.join(' | ')} |
|---|---|${columns.map(() => '---|').join('')}
${rows.join('\n')}
`;
}

const HEAD = `# Who may call what

This page shows which kind of key, token or session may call which operation of the API, and with which role. Read it when
a call is answered with 403 \`forbidden\`, or when you choose a credential for a program.

Each cell is the lowest role that may call the operation with this kind of credential:

| cell | meaning |
|---|---|
| *viewer*, *approver*, *admin*, *owner* | This role or a higher one. A secret key has the current role of its owner; an access token (\`token to …\`) and a session have the role of their person. |
| *yes* | Allowed. Agent keys and verifier keys have no role. |
| *present* | The person must also have signed in, or confirmed that it is them, within the last 15 minutes. |
| *test mode only* | In live mode, such a credential may never do this. **In live mode programs stop things and do not start them** ([0050](decisions/0050-programs-stop-people-start.md)). |
| *–* | Never allowed, in either mode. The answer is 403 \`forbidden\`, with the right as \`required\`. |

The operator, on the gate's machine, may do everything that the [command line](cli.md#for-operators) offers.

The table shows who is admitted. An operation can require more: an agent sees only its own requests, nobody gives a role
above their own, and in live mode nobody approves their own requests. Operations on a person's own account
(\`/console/account/…\`) require a session and are not listed. Operations that are open to everybody are not listed either.

This table is generated: \`npm run rights\` writes it from the routes and from the function that admits requests.
\`test/adversarial/threat-20-every-right.test.ts\` tries every cell against a gate, in both modes.
`;

const text = rights();
if (process.argv.includes('--check')) {
  const committed = await readFile(FILE, 'utf8').catch(() => '');
  if (committed !== text) {
    console.error('docs/rights.md does not match the routes. Run: npm run rights');
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, text);
}
