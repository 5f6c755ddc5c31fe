/** Owns the data of receipts' status lists: few and narrow reads, each along an index. */
import { type Kysely, sql } from 'kysely';
import type { AgentStatus } from '../../gate/access/agent-identity.ts';
import { receiptHeader } from '../../gate/tokens/issue-receipt.ts';
import type {
  InactiveAgent,
  ReceiptStatusReader,
  ReceiptStatusWriter,
} from '../../gate/tokens/receipt-status.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Database, Row } from '../sql/tables.ts';
import { startsWith } from '../sql/text-search.ts';
import { change } from '../sql/write-statements.ts';

const REVISION = 'receipt_status';

/** The name of the counter that gives receipts their indexes in the status lists. */
export const RECEIPT_INDEX = 'receipt_index';

const INACTIVE = [sql.lit<AgentStatus>('paused'), sql.lit<AgentStatus>('revoked')];

const findCounter = prepare((db, $: { name: string }) =>
  db.selectFrom('counters').select('next').where('name', '=', $.name),
);

function addTo(name: string) {
  return change((db, $: { count: number }) =>
    db
      .insertInto('counters')
      .values({ name, next: $.count })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({ next: eb('counters.next', '+', $.count) })),
      ),
  );
}

const addToRevision = addTo(REVISION);
const takeNumbers = addTo(RECEIPT_INDEX);

type Range = { from: number; to: number };

function issuedIn(db: Kysely<Database>, $: Range) {
  return db
    .selectFrom('intents')
    .select('intents.receipt_index')
    .where('intents.receipt_index', '>=', $.from)
    .where('intents.receipt_index', '<', $.to);
}

const findAny = prepare((db, $: Range) => issuedIn(db, $).limit(1));

const listIssued = prepare(issuedIn);

const listRevoked = prepare((db, $: Range) => issuedIn(db, $).where('revoked_at', 'is not', null));

const listSignedBy = prepare((db, $: Range & { header: string }) =>
  issuedIn(db, $)
    .innerJoin('issued', 'issued.receipt_index', 'intents.receipt_index')
    .where(startsWith('issued.receipt', $.header)),
);

const listErasedSignedBy = prepare((db, $: Range & { kid: string }) =>
  db
    .selectFrom('erased_receipts')
    .select('receipt_index')
    .where('receipt_index', '>=', $.from)
    .where('receipt_index', '<', $.to)
    .where('kid', '=', $.kid),
);

const listSuspended = prepare((db) =>
  db.selectFrom('agents').select(['id', 'status']).where('status', 'in', INACTIVE),
);

// Searches by range and never by agent, because an agent may have created millions of intents. So `+` rules out the
// agent's index, and the query uses no column outside the range's index.
const listOfSuspended = prepare((db, $: Range) =>
  issuedIn(db, $)
    .select((eb) =>
      eb.selectFrom('agents').select('id').whereRef('agents.seq', '=', 'intents.agent_key').as('agent_id'),
    )
    .where(sql<number>`+agent_key`, 'in', (eb) =>
      eb.selectFrom('agents').select('seq').where('status', 'in', INACTIVE),
    ),
);

export const receiptStatusQueries: OverRunner<ReceiptStatusReader & ReceiptStatusWriter> = {
  findReceiptStatusRevision: async (run) => (await run.first(findCounter, { name: REVISION }))?.next ?? 0,

  countReceiptIndexes: async (run) => (await run.first(findCounter, { name: RECEIPT_INDEX }))?.next ?? 0,

  hasReceipts: async (run, from, to) => (await run.first(findAny, { from, to })) !== undefined,

  listReceiptIndexes: async (run, from, to) => toIndexes(await run.all(listIssued, { from, to })),

  listRevokedReceipts: async (run, from, to) => toIndexes(await run.all(listRevoked, { from, to })),

  async listReceiptsSignedBy(run, kid, from, to) {
    const kept = await run.all(listSignedBy, { header: `${JSON.stringify(receiptHeader(kid))}\n`, from, to });
    return toIndexes([...kept, ...(await run.all(listErasedSignedBy, { kid, from, to }))]);
  },

  listInactiveAgents: async (run) => (await run.all(listSuspended, {})) as InactiveAgent[],

  async listReceiptsOfInactiveAgents(run, from, to) {
    const rows = await run.all(listOfSuspended, { from, to });
    return rows.flatMap(({ receipt_index: receiptIndex, agent_id: agentId }) =>
      receiptIndex === null || agentId === null ? [] : [{ receiptIndex, agentId }],
    );
  },

  bumpReceiptStatusRevision: (run) => addToRevision(run, { count: 1 }),

  async reserveReceiptIndexes(run, count) {
    await takeNumbers(run, { count });
    const counter = await run.first(findCounter, { name: RECEIPT_INDEX });
    if (!counter) throw new Error('the counter of receipts is gone');
    return counter.next - count;
  },
};

function toIndexes(rows: readonly Pick<Row<'intents'>, 'receipt_index'>[]): number[] {
  return rows.flatMap(({ receipt_index: index }) => (index === null ? [] : [index]));
}
