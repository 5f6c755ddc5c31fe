import type { Client } from 'pg';

/** SQL expressions for the values of columns in row `i`. All other columns get the row's number. */
type Columns = Readonly<Record<string, string>>;

const INTENTS = 100_000;

/** One project has every hundredth row, and nine share the others. */
const PROJECT_KEY = 'case when i % 100 = 1 then 1 else 2 + i % 9 end';
const PROJECT_ID = `'prj_' || (${PROJECT_KEY})`;
const AGENT_KEY = 'case when i % 100 = 1 then 1 else 2 + i % 49 end';
const STATUS = `case when i > ${INTENTS - 1000} then 'pending' else (array['approved', 'denied', 'expired'])[1 + i % 3] end`;

/** The stored instant this many minutes after the year began. */
const at = (minutes: string) =>
  `to_char(timestamp '2026-01-01' + (${minutes}) * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const NOW = at('i');

const TABLES: readonly [name: string, rows: number, columns: Columns][] = [
  ['projects', 10, { id: "'prj_' || i", mode: "'live'", policy_second_person: '0', created_at: NOW }],
  ['users', 2000, { id: "'usr_' || i", created_at: NOW }],
  ['members', 2000, { project_id: PROJECT_ID, user_id: "'usr_' || i", role: "'approver'" }],
  [
    'agents',
    50,
    {
      id: "'agt_' || i",
      project_id: `'prj_' || case when i = 1 then 1 else 2 + i % 9 end`,
      status: "case when i % 10 = 9 then 'paused' else 'active' end",
      owner_left_warned: '0',
    },
  ],
  [
    'api_keys',
    5000,
    { kind: "'agent'", project_id: PROJECT_ID, agent_id: `'agt_' || (${AGENT_KEY})`, rights: "'[]'" },
  ],
  ['sessions', 5000, { user_id: "'usr_' || (1 + i % 2000)", expires_at: NOW }],
  [
    'intents',
    INTENTS,
    {
      id: "'int_' || i",
      project_key: PROJECT_KEY,
      project_id: PROJECT_ID,
      agent_key: AGENT_KEY,
      agent_id: `'agt_' || (${AGENT_KEY})`,
      status: STATUS,
      action: "'action-' || i % 20",
      decision: "(array['require_approval', 'auto_approve'])[1 + i % 2]",
      permit_id: `case when ${STATUS} = 'approved' then 'pmt_' || i end`,
      receipt_index: `case when ${STATUS} = 'approved' then i end`,
      created_at: NOW,
      expires_at: at('i + 60'),
      revoked_at: `case when i % 1000 = 3 then ${NOW} end`,
      risk_rated: '0',
      params: "'{}'",
      metadata: "'{}'",
    },
  ],
  ['issued', INTENTS, { token: "''", receipt_index: 'i' }],
  ['approvals', 20_000, { intent_id: "'int_' || i", decision: "'approve'" }],
  [
    'events',
    INTENTS,
    {
      project_key: PROJECT_KEY,
      project_id: PROJECT_ID,
      // The last events of each project are not sealed yet.
      seq: `case when i <= ${INTENTS - 1000} then row_number() over (partition by ${PROJECT_KEY} order by i) end`,
      intent_key: 'i',
      intent_id: "'int_' || i",
      occurred_at: NOW,
      data: "'{}'",
      commitments: "'{}'",
    },
  ],
  [
    'seals',
    2000,
    { project_id: "'prj_' || (1 + i % 10)", first_seq: '1 + i / 10 * 100', last_seq: '100 + i / 10 * 100' },
  ],
  ['idempotency_records', 20_000, { expires_at: NOW, body: "'{}'" }],
  [
    'deliveries',
    40_000,
    {
      id: "'dlv_' || i",
      channel: "(array['mail', 'push', 'chat', 'webhook', 'webhook', 'webhook'])[1 + i % 6]",
      target: "case when i % 6 < 3 then 'usr_' || i % 2000 else 'whk_' || (1 + i % 20) end",
      kind: "'event'",
      cause_id: "'evt_' || i",
      user_id: "case when i % 6 < 3 then 'usr_' || i % 2000 end",
      project_id: "'prj_' || (1 + i % 10)",
      intent_id: "'int_' || i",
      state: "case when i % 50 = 0 then 'waiting' else 'delivered' end",
      done_at: `case when i % 50 = 0 then null else ${NOW} end`,
      due_at: NOW,
      followed: '0',
    },
  ],
  [
    'webhooks',
    20,
    { id: "'whk_' || i", project_id: "'prj_' || (1 + i % 10)", disabled_reason: 'null', secrets: "'[]'" },
  ],
];

/** A hundred thousand intents and everything that belongs to them, in the tables of an empty database. */
export async function seedLargeStore(client: Client): Promise<void> {
  await client.query('set session_replication_role = replica');
  for (const [table, rows, columns] of TABLES) {
    const all = await client.query<{ name: string; type: string; identity: string }>(
      `select column_name as name, data_type as type, is_identity as identity from information_schema.columns
      where table_schema = current_schema() and table_name = $1 and (is_nullable = 'NO' or column_name = any ($2))`,
      [table, Object.keys(columns)],
    );
    const filled = all.rows.filter(({ identity }) => identity === 'NO');
    const values = filled.map(({ name, type }) => columns[name] ?? (type === 'bigint' ? 'i' : 'i::text'));
    await client.query(`
      insert into ${table} (${filled.map(({ name }) => name).join(', ')})
      select ${values.join(', ')} from generate_series(1, ${rows}) as i`);
  }
  await client.query('set session_replication_role = default');
  await client.query('vacuum (analyze)');
}
