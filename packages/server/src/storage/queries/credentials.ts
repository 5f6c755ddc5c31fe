/** Owns the keys. Of a key itself only its hash is stored. */
import type {
  ApiKey,
  CredentialReader,
  CredentialRecord,
  CredentialWriter,
} from '../../gate/access/credential.ts';
import { endOfOrphan } from '../../gate/agents/orphan.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const KEY_COLUMNS = [
  'api_keys.seq',
  'api_keys.id',
  'api_keys.kind',
  'api_keys.project_id',
  'api_keys.name',
  'api_keys.hash',
  'api_keys.hint',
  'api_keys.agent_id',
  'api_keys.owner_id',
  'api_keys.rights',
  'api_keys.rate_limit_per_minute',
  'api_keys.created_at',
  'api_keys.expires_at',
  'api_keys.revoked_at',
  'api_keys.last_used_at',
  // With them a key has the end that it has because its agent's owner left.
  'agents.owner_left_at as agent_owner_left_at',
] as const;

type KeyRow = Row<'api_keys'> & { agent_owner_left_at: string | null };

const findCredentialRow = prepare((db, $: { hash: string }) =>
  db
    .selectFrom('api_keys')
    .leftJoin('projects', 'projects.id', 'api_keys.project_id')
    .leftJoin('agents', 'agents.id', 'api_keys.agent_id')
    .leftJoin('users', 'users.id', 'api_keys.owner_id')
    .leftJoin('members', (join) =>
      join
        .onRef('members.project_id', '=', 'api_keys.project_id')
        .onRef('members.user_id', '=', 'api_keys.owner_id'),
    )
    .where('api_keys.hash', '=', $.hash)
    .select(KEY_COLUMNS)
    .select([
      'projects.mode as project_mode',
      'projects.stopped_at as project_stopped_at',
      'projects.revision as project_revision',
      'projects.rate_limit_per_minute as project_rate_limit_per_minute',
      'agents.name as agent_name',
      'agents.status as agent_status',
      'agents.risk_tier as agent_risk_tier',
      'agents.labels as agent_labels',
      'agents.framework as agent_framework',
      'agents.owner_id as agent_owner_id',
      'users.email as owner_email',
      'members.role as owner_role',
    ]),
);

const findKeyRow = prepare((db, $: { id: string }) =>
  db
    .selectFrom('api_keys')
    .leftJoin('agents', 'agents.id', 'api_keys.agent_id')
    .where('api_keys.id', '=', $.id)
    .select(KEY_COLUMNS),
);

const listKeyRows = prepareShapes(
  (db, $: { projectId: string; beforeId: string; limit: number }, shape: { paged: boolean }) => {
    const rows = db
      .selectFrom('api_keys')
      .leftJoin('agents', 'agents.id', 'api_keys.agent_id')
      .where('api_keys.project_id', '=', $.projectId)
      .select(KEY_COLUMNS)
      .orderBy('api_keys.seq', 'desc')
      .limit($.limit);
    if (!shape.paged) return rows;
    return rows.where('api_keys.seq', '<', (eb) =>
      eb
        .selectFrom('api_keys as last')
        .select('last.seq')
        .where('last.id', '=', $.beforeId)
        .where('last.project_id', '=', $.projectId),
    );
  },
);

const listUserTokenRows = prepareShapes(
  (db, $: { ownerId: string; beforeId: string; limit: number }, shape: { paged: boolean }) => {
    const rows = db
      .selectFrom('api_keys')
      .leftJoin('agents', 'agents.id', 'api_keys.agent_id')
      .where('api_keys.owner_id', '=', $.ownerId)
      .where('api_keys.project_id', 'is', null)
      .select(KEY_COLUMNS)
      .orderBy('api_keys.seq', 'desc')
      .limit($.limit);
    if (!shape.paged) return rows;
    return rows.where('api_keys.seq', '<', (eb) =>
      eb
        .selectFrom('api_keys as last')
        .select('last.seq')
        .where('last.id', '=', $.beforeId)
        .where('last.owner_id', '=', $.ownerId),
    );
  },
);

const insertKeyRow = prepare((db, $: NewRow<'api_keys'>) =>
  db.insertInto('api_keys').values({
    id: $.id,
    kind: $.kind,
    project_id: $.project_id,
    name: $.name,
    hash: $.hash,
    hint: $.hint,
    agent_id: $.agent_id,
    owner_id: $.owner_id,
    rights: $.rights,
    rate_limit_per_minute: $.rate_limit_per_minute,
    created_at: $.created_at,
    expires_at: $.expires_at,
    revoked_at: $.revoked_at,
    last_used_at: $.last_used_at,
  }),
);

const revokeRow = prepare((db, $: { id: string; at: string }) =>
  db.updateTable('api_keys').set({ revoked_at: $.at }).where('id', '=', $.id).where('revoked_at', 'is', null),
);

const touchRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: $.at })
    .where('id', '=', $.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', $.at)])),
);

interface CredentialRow extends KeyRow {
  project_mode: Row<'projects'>['mode'] | null;
  project_stopped_at: string | null;
  project_revision: number | null;
  project_rate_limit_per_minute: number | null;
  agent_name: string | null;
  agent_status: Row<'agents'>['status'] | null;
  agent_risk_tier: Row<'agents'>['risk_tier'] | null;
  agent_labels: string | null;
  agent_framework: string | null;
  agent_owner_id: string | null;
  owner_email: string | null;
  owner_role: Row<'members'>['role'] | null;
}

export const credentialReads: OverRunner<CredentialReader> = {
  async findCredential(run, hash) {
    const row = await run.first(findCredentialRow, { hash });
    return row && toCredentialRecord(row);
  },

  async findKey(run, id) {
    const row = await run.first(findKeyRow, { id });
    return row && toApiKey(row);
  },

  async listKeys(run, projectId, page) {
    const query = listKeyRows({ paged: page.beforeId !== undefined });
    return (await run.all(query, { projectId, beforeId: page.beforeId ?? '', limit: page.limit })).map(
      toApiKey,
    );
  },

  async listUserTokens(run, ownerId, page) {
    const query = listUserTokenRows({ paged: page.beforeId !== undefined });
    return (await run.all(query, { ownerId, beforeId: page.beforeId ?? '', limit: page.limit })).map(
      toApiKey,
    );
  },
};

export const credentialWrites: OverRunner<CredentialWriter> = {
  async insertKey(run, key) {
    await run.change(insertKeyRow, {
      id: key.id,
      kind: key.kind,
      project_id: key.projectId,
      name: key.name,
      hash: key.hash,
      hint: key.hint,
      agent_id: key.agentId,
      owner_id: key.ownerId,
      rights: toJson(key.rights),
      rate_limit_per_minute: key.rateLimitPerMinute,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
      last_used_at: key.lastUsedAt,
    });
  },

  revokeKey: async (run, id, at) => (await run.change(revokeRow, { id, at })) === 1,

  async touchKeys(run, ids, at) {
    for (const id of ids) await run.change(touchRow, { id, at });
  },
};

function toApiKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    kind: row.kind,
    projectId: row.project_id,
    name: row.name,
    hash: row.hash,
    hint: row.hint,
    agentId: row.agent_id,
    ownerId: row.owner_id,
    rights: fromJson(row.rights),
    rateLimitPerMinute: row.rate_limit_per_minute,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endsWithOwnerAt: endOfOrphan(row.created_at, row.agent_owner_left_at),
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

function toCredentialRecord(row: CredentialRow): CredentialRecord {
  return { key: toApiKey(row), project: projectOf(row), agent: agentOf(row), owner: ownerOf(row) };
}

function projectOf(row: CredentialRow): CredentialRecord['project'] {
  if (row.project_id === null || row.project_mode === null || row.project_revision === null) return null;
  return {
    id: row.project_id,
    mode: row.project_mode,
    stoppedAt: row.project_stopped_at,
    revision: row.project_revision,
    rateLimitPerMinute: row.project_rate_limit_per_minute,
  };
}

function agentOf(row: CredentialRow): CredentialRecord['agent'] {
  const { agent_id: id, agent_name: name, agent_status: status, agent_risk_tier: riskTier } = row;
  if (id === null || name === null || status === null || riskTier === null) return null;
  return {
    id,
    name,
    status,
    riskTier,
    labels: fromJson(row.agent_labels ?? '{}'),
    framework: row.agent_framework,
    ownerId: row.agent_owner_id,
  };
}

/** The minter of an agent key does not answer for it: the agent does. */
function ownerOf(row: CredentialRow): CredentialRecord['owner'] {
  if (row.kind !== 'secret' && row.kind !== 'user') return null;
  if (row.owner_id === null || row.owner_email === null) return null;
  return { id: row.owner_id, email: row.owner_email, role: row.owner_role };
}
