/** Owns how long projects keep texts, and the progress of their sweeps. */
import { INTENT_STATUSES, type IntentStatus } from '@permitry/protocol';
import type { RetentionReader, RetentionWriter } from '../../gate/erasure/retention.ts';
import type { Intent } from '../../gate/intents/intent.ts';
import { firstOfEach, type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { findIn, rowsOf } from '../sql/read-statements.ts';
import { keyOf } from '../sql/row-key.ts';
import { retention, retentionWaiting } from '../sql/tables.ts';
import { deleteFrom, save } from '../sql/write-statements.ts';
import { intentQueries } from './intents.ts';

const find = findIn(retention, 'projectId');
const saveDays = save(retention, { by: ['projectId'], set: ['days'] });
const saveSweptIntent = save(retention, { by: ['projectId'], set: ['sweptIntentSeq'] });
const saveSweptEvent = save(retention, { by: ['projectId'], set: ['sweptEventSeq'] });

const saveWaiting = save(retentionWaiting, { by: ['intentId'], set: ['dueAt'] });
const deleteWaiting = deleteFrom(retentionWaiting, 'intentId');

// Merges one walk along the index per status. Any other plan would read the intents of other projects too.
const listUnswept = prepare(
  (db, $: { projectId: string; status: IntentStatus; after: number; limit: number }) =>
    db
      .selectFrom('intents')
      .select('seq')
      .where('project_key', '=', keyOf('projects', $.projectId))
      .where('status', '=', $.status)
      .where('seq', '>', $.after)
      .orderBy('seq')
      .limit($.limit),
);

const findId = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select('id').where('seq', '=', $.seq),
);

const waiting = rowsOf(retentionWaiting, (rows, $: { projectId: string; now: string; limit: number }) =>
  rows.where('project_id', '=', $.projectId).where('due_at', '<=', $.now).orderBy('due_at').limit($.limit),
);

const findSeq = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select('seq').where('id', '=', $.id),
);

const NOTHING_YET = { days: null, sweptIntentSeq: 0, sweptEventSeq: 0 };

export const retentionQueries: OverRunner<RetentionReader & RetentionWriter> = {
  async findRetention(run, projectId) {
    const { days, sweptEventSeq } = (await find(run, { projectId })) ?? NOTHING_YET;
    return { days, sweptEventSeq };
  },

  async listUnsweptIntents(run, projectId, limit) {
    const after = (await find(run, { projectId }))?.sweptIntentSeq ?? 0;
    const walks = INTENT_STATUSES.map((status) => run.all(listUnswept, { projectId, status, after, limit }));
    const seqs = (await Promise.all(walks)).flat();
    const oldest = seqs.sort((a, b) => a.seq - b.seq).slice(0, limit);
    const rows = await firstOfEach(run, findId, oldest);
    return readIntents(
      run,
      rows.flatMap((row) => row?.id ?? []),
    );
  },

  async listWaitingIntents(run, projectId, now, limit) {
    const due = await waiting.all(run, { projectId, now, limit });
    return readIntents(
      run,
      due.map(({ intentId }) => intentId),
    );
  },

  setRetentionDays: (run, projectId, days) => saveDays(run, { ...NOTHING_YET, projectId, days }),

  saveSweptEvent: (run, projectId, seq) =>
    saveSweptEvent(run, { ...NOTHING_YET, projectId, sweptEventSeq: seq }),

  async saveSweptIntent(run, projectId, intentId) {
    const seq = (await run.first(findSeq, { id: intentId }))?.seq;
    if (seq === undefined) throw new Error(`intent ${intentId} is gone`);
    await saveSweptIntent(run, { ...NOTHING_YET, projectId, sweptIntentSeq: seq });
  },

  async saveWaitingIntent(run, { id: intentId, projectId }, dueAt) {
    if (dueAt === null) await deleteWaiting(run, { intentId });
    else await saveWaiting(run, { intentId, projectId, dueAt });
  },
};

async function readIntents(run: QueryRunner, ids: readonly string[]): Promise<Intent[]> {
  const found: Intent[] = [];
  for (const id of ids) {
    const intent = await intentQueries.findIntent(run, id);
    if (intent) found.push(intent);
  }
  return found;
}
