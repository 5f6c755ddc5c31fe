/** Owns the calls of tools: each is claimed once and settled once, by guarded updates. */
import { sql } from 'kysely';
import type {
  ConnectorRequest,
  ConnectorRequestReader,
  ConnectorRequestState,
  ConnectorRequestWriter,
} from '../../gate/tools/connector-request.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';
import { holdsText, sizeOf, stepOf, TEXT_SEARCH_STEP } from '../sql/text-search.ts';

// Written into the text, not bound: only then may a database use the index kept for those alone.
const EXECUTING = sql.lit<ConnectorRequestState>('executing');
const PENDING = sql.lit<ConnectorRequestState>('pending');

const findRow = prepare((db, $: { id: string }) =>
  db.selectFrom('connector_requests').selectAll().where('id', '=', $.id),
);

const findRowOf = prepare((db, $: { intentId: string }) =>
  db.selectFrom('connector_requests').selectAll().where('intent_id', '=', $.intentId),
);

type PendingParams = { credentialId: string; toolName: string; argumentsHash: string };

const findPendingRow = prepare((db, $: PendingParams) =>
  db
    .selectFrom('connector_requests')
    .selectAll()
    .where('state', '=', PENDING)
    .where('credential_id', '=', $.credentialId)
    .where('tool_name', '=', $.toolName)
    .where('arguments_hash', '=', $.argumentsHash)
    .orderBy('seq', 'desc')
    .limit(1),
);

const listExecutingRows = prepare((db, $: { limit: number }) =>
  db
    .selectFrom('connector_requests')
    .select(['id', 'project_id', 'intent_id', 'leased_by', 'leased_until'])
    .where('state', '=', EXECUTING)
    .orderBy('leased_until')
    .limit($.limit),
);

const listSizes = prepare((db, $: { after: number; limit: number }) =>
  db
    .selectFrom('connector_requests')
    .select(['seq', sql<number>`coalesce(${sizeOf('result')}, 0)`.as('bytes')])
    .where('seq', '>', $.after)
    .orderBy('seq')
    .limit($.limit),
);

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

const insertRow = prepare((db, $: NewRow<'connector_requests'>) =>
  db
    .insertInto('connector_requests')
    .values({
      id: $.id,
      project_id: $.project_id,
      intent_id: $.intent_id,
      credential_id: $.credential_id,
      tool_name: $.tool_name,
      tool_hash: $.tool_hash,
      arguments_hash: $.arguments_hash,
      result_form: $.result_form,
      state: $.state,
      ran_by: $.ran_by,
      leased_by: $.leased_by,
      leased_until: $.leased_until,
      result: $.result,
      message: $.message,
      created_at: $.created_at,
      settled_at: $.settled_at,
      erased_at: $.erased_at,
    })
    .onConflict((conflict) => conflict.column('intent_id').doNothing()),
);

const claimRow = prepare((db, $: { id: string; ranBy: string; leasedBy: string; leasedUntil: string }) =>
  db
    .updateTable('connector_requests')
    .set({ state: 'executing', ran_by: $.ranBy, leased_by: $.leasedBy, leased_until: $.leasedUntil })
    .where('id', '=', $.id)
    .where('state', '=', 'pending'),
);

const extendRow = prepare((db, $: { id: string; leasedBy: string; until: string }) =>
  db
    .updateTable('connector_requests')
    .set({ leased_until: $.until })
    .where('id', '=', $.id)
    .where('state', '=', 'executing')
    .where('leased_by', '=', $.leasedBy),
);

const releaseRow = prepare((db, $: { id: string; leasedBy: string }) =>
  db
    .updateTable('connector_requests')
    .set({ state: PENDING, ran_by: null, leased_by: null, leased_until: null })
    .where('id', '=', $.id)
    .where('state', '=', 'executing')
    .where('leased_by', '=', $.leasedBy),
);

/** What comes after its texts were erased is not to stay either. */
function unlessErased(text: string | null) {
  return sql<string | null>`case when ${sql.ref('erased_at')} is null then cast(${text} as text) end`;
}

type SettleParams = Pick<Row<'connector_requests'>, 'id' | 'state' | 'result' | 'message'> & { at: string };

const settleRow = prepare((db, $: SettleParams) =>
  db
    .updateTable('connector_requests')
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

const eraseRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('connector_requests')
    .set({ result: null, message: null, erased_at: $.at })
    .where('id', '=', $.id),
);

const eraseRowOf = prepare((db, $: { intentId: string; at: string }) =>
  db
    .updateTable('connector_requests')
    .set({ result: null, message: null, erased_at: $.at })
    .where('intent_id', '=', $.intentId),
);

export const connectorRequestReads: OverRunner<ConnectorRequestReader> = {
  async findConnectorRequest(run, id) {
    const row = await run.first(findRow, { id });
    return row && toConnectorRequest(row);
  },

  async findConnectorRequestOf(run, intentId) {
    const row = await run.first(findRowOf, { intentId });
    return row && toConnectorRequest(row);
  },

  async findWaitingConnectorRequest(run, credentialId, toolName, argumentsHash) {
    const row = await run.first(findPendingRow, { credentialId, toolName, argumentsHash });
    return row && toConnectorRequest(row);
  },

  async listExecutingRequests(run, limit) {
    const rows = await run.all(listExecutingRows, { limit });
    return rows.map((row) => ({
      id: row.id,
      projectId: row.project_id,
      intentId: row.intent_id,
      leasedBy: row.leased_by ?? '',
      leasedUntil: row.leased_until ?? '',
    }));
  },

  async findConnectorRequestsWithText(run, projectId, text, after) {
    const { through, next } = stepOf(await run.all(listSizes, { after, limit: TEXT_SEARCH_STEP }), after);
    const rows = await run.all(findIdsWithText, { projectId, text, after, through });
    return { items: rows.map(({ id }) => id), next };
  },
};

export const connectorRequestWrites: OverRunner<ConnectorRequestWriter> = {
  insertConnectorRequest: async (run, request) => (await run.change(insertRow, toRow(request))) === 1,

  claimConnectorRequest: async (run, id, claim) => (await run.change(claimRow, { id, ...claim })) === 1,

  releaseConnectorRequest: async (run, id, leasedBy) =>
    (await run.change(releaseRow, { id, leasedBy })) === 1,

  extendConnectorRequest: async (run, id, leasedBy, until) =>
    (await run.change(extendRow, { id, leasedBy, until })) === 1,

  async settleConnectorRequest(run, id, { state, result, message, at }) {
    const params = { id, state, result: result && toJson(result), message, at };
    return (await run.change(settleRow, params)) === 1;
  },

  async eraseConnectorRequest(run, id, at) {
    await run.change(eraseRow, { id, at });
  },

  async eraseConnectorRequestOf(run, intentId, at) {
    await run.change(eraseRowOf, { intentId, at });
  },
};

function toRow(request: ConnectorRequest): NewRow<'connector_requests'> {
  return {
    id: request.id,
    project_id: request.projectId,
    intent_id: request.intentId,
    credential_id: request.credentialId,
    tool_name: request.toolName,
    tool_hash: request.toolHash,
    arguments_hash: request.argumentsHash,
    result_form: request.resultForm,
    state: request.state,
    ran_by: request.ranBy,
    leased_by: request.leasedBy,
    leased_until: request.leasedUntil,
    result: request.result && toJson(request.result),
    message: request.message,
    created_at: request.createdAt,
    settled_at: request.settledAt,
    erased_at: request.erasedAt,
  };
}

function toConnectorRequest(row: Row<'connector_requests'>): ConnectorRequest {
  return {
    id: row.id,
    projectId: row.project_id,
    intentId: row.intent_id,
    credentialId: row.credential_id,
    toolName: row.tool_name,
    toolHash: row.tool_hash,
    argumentsHash: row.arguments_hash,
    resultForm: row.result_form,
    state: row.state,
    ranBy: row.ran_by,
    leasedBy: row.leased_by,
    leasedUntil: row.leased_until,
    result: row.result === null ? null : fromJson(row.result),
    message: row.message,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    erasedAt: row.erased_at,
  };
}
