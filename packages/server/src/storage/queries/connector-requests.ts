/** Owns the calls of tools. Guarded updates let each call be claimed once and settled once. */
import { sql } from 'kysely';
import type {
  ConnectorRequestReader,
  ConnectorRequestState,
  ConnectorRequestWriter,
} from '../../gate/tools/connector-request.ts';
import { toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn, rowsOf } from '../sql/read-statements.ts';
import { connectorRequests, type Row } from '../sql/tables.ts';
import { holdsText, sizeOf, stepsThrough } from '../sql/text-search.ts';
import { guarded, insertOnce, updateOf } from '../sql/write-statements.ts';

// A literal, not a parameter: only then can a database use the partial index for this value.
const EXECUTING = sql.lit<ConnectorRequestState>('executing');
const PENDING = sql.lit<ConnectorRequestState>('pending');

const find = findIn(connectorRequests, 'id');
const findOf = findIn(connectorRequests, 'intentId');

type PendingParams = { credentialId: string; toolName: string; argumentsHash: string };

const pending = rowsOf(connectorRequests, (rows, $: PendingParams) =>
  rows
    .where('state', '=', PENDING)
    .where('credential_id', '=', $.credentialId)
    .where('tool_name', '=', $.toolName)
    .where('arguments_hash', '=', $.argumentsHash)
    .orderBy('seq', 'desc')
    .limit(1),
);

const executing = connectorRequests.pick('id', 'projectId', 'intentId');

const listExecutingRows = prepare((db, $: { limit: number }) =>
  db
    .selectFrom('connector_requests')
    .select([...executing.columns, 'leased_by', 'leased_until'])
    .where('state', '=', EXECUTING)
    .orderBy('leased_until')
    .limit($.limit),
);

const nextRequests = stepsThrough('connector_requests', sql`coalesce(${sizeOf('result')}, 0)`);

const findIdsWithText = prepare(
  (db, $: { projectId: string; text: string; after: number; through: number }) =>
    db
      .selectFrom('connector_requests')
      .select('id')
      .where('seq', '>', $.after)
      .where('seq', '<=', $.through)
      .where('project_id', '=', $.projectId)
      .where((eb) => eb.or([holdsText('result', $.text), holdsText('message', $.text)])),
);

const claim = guarded(
  connectorRequests,
  (rows, $: { id: string; ranBy: string; leasedBy: string; leasedUntil: string }) =>
    rows
      .set({ state: 'executing', ran_by: $.ranBy, leased_by: $.leasedBy, leased_until: $.leasedUntil })
      .where('id', '=', $.id)
      .where('state', '=', 'pending'),
);

const extend = updateOf(connectorRequests, { set: ['leasedUntil'], where: ['id', 'state', 'leasedBy'] });

const release = guarded(connectorRequests, (rows, $: { id: string; leasedBy: string }) =>
  rows
    .set({ state: PENDING, ran_by: null, leased_by: null, leased_until: null })
    .where('id', '=', $.id)
    .where('state', '=', 'executing')
    .where('leased_by', '=', $.leasedBy),
);

/** Text that arrives after the erasure must not be stored either. */
function unlessErased(text: string | null) {
  return sql<string | null>`case when ${sql.ref('erased_at')} is null then cast(${text} as text) end`;
}

type SettleParams = Pick<Row<'connector_requests'>, 'id' | 'state' | 'result' | 'message'> & { at: string };

const settle = guarded(connectorRequests, (rows, $: SettleParams) =>
  rows
    .set({
      state: $.state,
      result: unlessErased($.result),
      message: unlessErased($.message),
      settled_at: $.at,
      leased_by: null,
      leased_until: null,
    })
    .where('id', '=', $.id)
    .where('state', '=', 'executing'),
);

const ERASED = ['result', 'message', 'erasedAt'] as const;
const erase = updateOf(connectorRequests, { set: ERASED, where: ['id'] });
const eraseOf = updateOf(connectorRequests, { set: ERASED, where: ['intentId'] });

export const connectorRequestQueries: OverRunner<ConnectorRequestReader & ConnectorRequestWriter> = {
  findConnectorRequest: (run, id) => find(run, { id }),

  findConnectorRequestOf: (run, intentId) => findOf(run, { intentId }),

  findWaitingConnectorRequest: (run, credentialId, toolName, argumentsHash) =>
    pending.first(run, { credentialId, toolName, argumentsHash }),

  async listExecutingRequests(run, limit) {
    const rows = await run.all(listExecutingRows, { limit });
    return rows.map((row) => ({
      ...executing.toObject(row),
      leasedBy: row.leased_by ?? '',
      leasedUntil: row.leased_until ?? '',
    }));
  },

  async findConnectorRequestsWithText(run, projectId, text, after) {
    const { through, next } = await nextRequests(run, after);
    const rows = await run.all(findIdsWithText, { projectId, text, after, through });
    return { items: rows.map(({ id }) => id), next };
  },

  insertConnectorRequest: insertOnce(connectorRequests, 'intentId'),

  claimConnectorRequest: (run, id, by) => claim(run, { id, ...by }),

  releaseConnectorRequest: (run, id, leasedBy) => release(run, { id, leasedBy }),

  extendConnectorRequest: (run, id, leasedBy, until) =>
    extend(run, { id, state: 'executing', leasedBy, leasedUntil: until }),

  settleConnectorRequest: (run, id, { state, result, message, at }) =>
    settle(run, { id, state, result: result && toJson(result), message, at }),

  eraseConnectorRequest: (run, id, at) => erase(run, { id, result: null, message: null, erasedAt: at }),

  eraseConnectorRequestOf: (run, intentId, at) =>
    eraseOf(run, { intentId, result: null, message: null, erasedAt: at }),
};
