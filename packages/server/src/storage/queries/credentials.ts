/** Owns the keys. Only the hash of a key is stored. */
import type {
  ApiKey,
  CredentialReader,
  CredentialRecord,
  CredentialWriter,
} from '../../gate/access/credential.ts';
import { endOfOrphan } from '../../gate/agents/orphan.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { Project } from '../../gate/projects/project.ts';
import { type OverRunner, prepare, prepareGiven } from '../sql/prepared-query.ts';
import { agents, apiKeys, projects, type Row } from '../sql/tables.ts';
import { guarded, insertInto, touch } from '../sql/write-statements.ts';
import { toAgentIdentity } from './agents.ts';

const joinedProject = projects.joined();
const joinedAgent = agents.joined();

const findCredential = prepare((db, $: { hash: string }) =>
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
    .select(apiKeys.namesIn('api_keys'))
    .select(joinedProject.columns)
    .select(joinedAgent.columns)
    .select(['users.email', 'members.role']),
);

// Includes the agent, because a key may expire when the agent's owner left.
const findKey = prepare((db, $: { id: string }) =>
  db
    .selectFrom('api_keys')
    .leftJoin('agents', 'agents.id', 'api_keys.agent_id')
    .where('api_keys.id', '=', $.id)
    .select(apiKeys.namesIn('api_keys'))
    .select('agents.owner_left_at'),
);

type ListParams = { id: string; beforeId: string | undefined; limit: number };

const keysOf = (column: 'project_id' | 'owner_id') =>
  prepareGiven((db, { id, beforeId, limit }: ListParams) => {
    let rows = db
      .selectFrom('api_keys')
      .leftJoin('agents', 'agents.id', 'api_keys.agent_id')
      .where(`api_keys.${column}`, '=', id)
      .select(apiKeys.namesIn('api_keys'))
      .select('agents.owner_left_at')
      .orderBy('api_keys.seq', 'desc')
      .limit(limit);
    if (column === 'owner_id') rows = rows.where('api_keys.project_id', 'is', null);
    if (beforeId === undefined) return rows;
    return rows.where('api_keys.seq', '<', (eb) =>
      eb
        .selectFrom('api_keys as last')
        .select('last.seq')
        .where('last.id', '=', beforeId)
        .where(`last.${column}`, '=', id),
    );
  });

const keysOfProject = keysOf('project_id');
const tokensOfUser = keysOf('owner_id');

const revoke = guarded(apiKeys, (rows, $: { id: string; at: string }) =>
  rows.set({ revoked_at: $.at }).where('id', '=', $.id).where('revoked_at', 'is', null),
);

export const credentialQueries: OverRunner<CredentialReader & CredentialWriter> = {
  async findCredential(run, hash) {
    const row = await run.first(findCredential, { hash });
    if (!row) return undefined;
    const project = joinedProject.toObject(row);
    const agent = joinedAgent.toObject(row);
    return {
      key: toApiKey(row, agent?.ownerLeftAt ?? null),
      project: project && projectOf(project),
      agent: agent && toAgentIdentity(agent),
      owner: ownerOf(row),
    };
  },

  async findKey(run, id) {
    const row = await run.first(findKey, { id });
    return row && toListedKey(row);
  },

  async listKeys(run, projectId, { beforeId, limit }) {
    const params = { id: projectId, beforeId, limit };
    return (await run.all(keysOfProject(params), params)).map(toListedKey);
  },

  async listUserTokens(run, ownerId, { beforeId, limit }) {
    const params = { id: ownerId, beforeId, limit };
    return (await run.all(tokensOfUser(params), params)).map(toListedKey);
  },

  insertKey: insertInto(apiKeys),

  revokeKey: (run, id, at) => revoke(run, { id, at }),

  touchKeys: touch(apiKeys),
};

function toApiKey(row: Row<'api_keys'>, ownerLeftAt: Instant | null): ApiKey {
  return { ...apiKeys.toObject(row), endsWithOwnerAt: endOfOrphan(row.created_at, ownerLeftAt) };
}

function toListedKey(row: Row<'api_keys'> & { owner_left_at: Instant | null }): ApiKey {
  return toApiKey(row, row.owner_left_at);
}

function projectOf({
  id,
  mode,
  stoppedAt,
  revision,
  rateLimitPerMinute,
}: Project): CredentialRecord['project'] {
  return { id, mode, stoppedAt, revision, rateLimitPerMinute };
}

/** The person who created an agent key does not answer for it; the agent does. */
function ownerOf(
  row: Pick<Row<'api_keys'>, 'kind' | 'owner_id'> & {
    email: string | null;
    role: Row<'members'>['role'] | null;
  },
): CredentialRecord['owner'] {
  if (row.kind !== 'secret' && row.kind !== 'user') return null;
  if (row.owner_id === null || row.email === null) return null;
  return { id: row.owner_id, email: row.email, role: row.role };
}
