/**
 * `npm run bench:inbox`: the cost of one page of the inbox and of the history, with many pending requests and very many
 * resolved ones. Measures only the operation, in this process. `npm run bench:dashboard -- --pending 10000` measures
 * the page in a browser.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { authenticateKey } from '../packages/server/src/gate/access/authenticate-key.ts';
import type { SessionCaller } from '../packages/server/src/gate/access/caller.ts';
import { listHistory } from '../packages/server/src/gate/inbox/list-history.ts';
import { listInbox } from '../packages/server/src/gate/inbox/list-inbox.ts';
import { submitIntent } from '../packages/server/src/gate/intents/submit.ts';
import { type OpenGate, openGate } from '../packages/server/src/open-gate.ts';
import { initialiseGate } from '../packages/server/src/people/initialise-gate.ts';
import { readFlags } from '../scripts/read-flags.ts';
import { median } from './median.ts';

const HELP = `Measures what a page of the inbox costs the gate.

  npm run bench:inbox
  npm run bench:inbox -- --pending 10000 --resolved 1000000 --rounds 20
`;

const { values } = readFlags({
  options: {
    pending: { type: 'string', default: '10000' },
    resolved: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '20' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const [pending, resolved, rounds] = [values.pending, values.resolved, values.rounds].map(Number);

const dataDir = mkdtempSync(join(tmpdir(), 'permitry-bench-inbox-'));
const settings = { database: { directory: dataDir }, issuer: 'http://localhost:4000' };
const OWNER = 'owner@example.org';

let opened: OpenGate = await openGate(settings);
const first = await initialiseGate(opened.gate, { mode: 'live', projectName: 'Bench', ownerEmail: OWNER });
const { caller: agent } = await authenticateKey(opened.gate, first.agent_key);
const owner = await opened.gate.storage.read.findUserByEmail(OWNER);
const person: SessionCaller = {
  kind: 'session',
  credentialId: 'ses_bench',
  user: { id: owner?.id ?? '', email: OWNER },
  memberships: [{ projectId: first.project_id, mode: 'live', role: 'owner' }],
  methods: ['password'],
  signedInAt: opened.gate.clock.now(),
  confirmedAt: opened.gate.clock.now(),
};

async function ask(count: number, action: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 200) {
    const batch = Array.from({ length: Math.min(200, count - n) }, (_, i) =>
      submitIntent(opened.gate, agent, {
        action,
        params: { order: `A-${n + i}`, amount: 120.5, note: 'The customer returned the parcel.' },
        sourceType: 'ai_agent',
        expiresInSeconds: 2_592_000,
      }),
    );
    ids.push(...(await Promise.all(batch)).map(({ intent }) => intent.id));
  }
  return ids;
}

/**
 * Creates one request and `count` rows like it, older than all pending ones. One in ten is an approval of the pending
 * action with other parameters; the others were denied.
 */
async function fillHistory(count: number): Promise<void> {
  const [id = ''] = await ask(1, 'files.delete');
  await opened.close();
  const database = new DatabaseSync(join(dataDir, 'permitry.sqlite'));
  const columns = database.prepare('select name from pragma_table_info(?)').all('intents');
  const kept = columns.map(({ name }) => String(name)).filter((name) => name !== 'seq' && name !== 'id');
  const isApproval = 'i % 10 = 0';
  const overwritten: Record<string, string> = {
    action: `iif(${isApproval}, 'payments.refund', action)`,
    params_hash: "printf('sha256:%064x', i)",
    status: `iif(${isApproval}, 'approved', 'denied')`,
    resolved_at: 'created_at',
    resolved_by: `'${OWNER}'`,
    approved_by: `iif(${isApproval}, '${OWNER}', null)`,
    approved_at: `iif(${isApproval}, created_at, null)`,
    permit_id: `iif(${isApproval}, printf('pmt_%d', i), null)`,
    receipt_index: `iif(${isApproval}, i, null)`,
  };
  database.exec(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
     insert into intents (id, ${kept.join(', ')})
     select printf('int_%026d', i), ${kept.map((name) => overwritten[name] ?? name).join(', ')}
     from n, (select * from intents where id = '${id}')`,
  );
  database.close();
  opened = await openGate(settings);
}

async function measure(what: () => Promise<unknown>): Promise<string> {
  await what();
  const times: number[] = [];
  for (let round = 0; round < (rounds ?? 1); round += 1) {
    const begin = performance.now();
    await what();
    times.push(performance.now() - begin);
  }
  return `${median(times).toFixed(1)} (${Math.max(...times).toFixed(1)})`;
}

try {
  if (resolved) await fillHistory(resolved);
  const ids = await ask(pending ?? 0, 'payments.refund');
  const { gate } = opened;
  const deep = ids.at(Math.floor(ids.length / 2)) ?? '';
  const rows: Record<string, () => Promise<unknown>> = {
    'inbox, first page': () => listInbox(gate, person, {}),
    'inbox, in the middle': () => listInbox(gate, person, { cursor: deep }),
    'inbox, mine to decide': () => listInbox(gate, person, { canDecide: true }),
    'inbox, a word nobody wrote': () => listInbox(gate, person, { q: 'nothing like it' }),
    'inbox, nothing mine not to decide': () => listInbox(gate, person, { canDecide: false }),
    'history, first page': () => listHistory(gate, person, {}),
    'history, a day before it all': () => listHistory(gate, person, { from: '2020-01-01', to: '2020-01-02' }),
    'history, a word nobody wrote': () => listHistory(gate, person, { q: 'nothing like it' }),
  };
  console.log(`${pending} pending, ${resolved} resolved; pages of 50, ${rounds} rounds.\n`);
  const table: Record<string, { 'median (most), ms': string }> = {};
  for (const [name, what] of Object.entries(rows)) table[name] = { 'median (most), ms': await measure(what) };
  console.table(table);
} finally {
  await opened.close();
  rmSync(dataDir, { recursive: true, force: true });
}
