/** Owns how long projects keep texts, and how far a sweep of theirs has come. */
import { INTENT_STATUSES, type IntentStatus } from '@permitry/protocol';
import type { RetentionReader, RetentionWriter } from '../../gate/erasure/retention.ts';
import type { Intent } from '../../gate/intents/intent.ts';
import { type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import { intentReads } from './intents.ts';

const findRetentionRow = prepare((db, $: { projectId: string }) =>
  db.selectFrom('retention').selectAll().where('project_id', '=', $.projectId),
);

// One walk along the index for each status, merged: only so does none pass by the intents of other projects.
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

const listWaiting = prepare((db, $: { projectId: string; now: string; limit: number }) =>
  db
    .selectFrom('retention_waiting')
    .select('intent_id')
    .where('project_id', '=', $.projectId)
    .where('due_at', '<=', $.now)
    .orderBy('due_at')
    .limit($.limit),
);

const saveDays = prepare((db, $: { projectId: string; days: number | null }) =>
  db
    .insertInto('retention')
    .values({ project_id: $.projectId, days: $.days, swept_intent: 0, swept_event: 0 })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ days: $.days })),
);

const saveEvent = prepare((db, $: { projectId: string; seq: number }) =>
  db
    .insertInto('retention')
    .values({ project_id: $.projectId, days: null, swept_intent: 0, swept_event: $.seq })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ swept_event: $.seq })),
);

const findSeq = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select('seq').where('id', '=', $.id),
);

const saveIntent = prepare((db, $: { projectId: string; seq: number }) =>
  db
    .insertInto('retention')
    .values({ project_id: $.projectId, days: null, swept_intent: $.seq, swept_event: 0 })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ swept_intent: $.seq })),
);

const saveWaiting = prepare((db, $: { id: string; projectId: string; dueAt: string }) =>
  db
    .insertInto('retention_waiting')
    .values({ intent_id: $.id, project_id: $.projectId, due_at: $.dueAt })
    .onConflict((conflict) => conflict.column('intent_id').doUpdateSet({ due_at: $.dueAt })),
);

const deleteWaiting = prepare((db, $: { id: string }) =>
  db.deleteFrom('retention_waiting').where('intent_id', '=', $.id),
);

export const retentionReads: OverRunner<RetentionReader> = {
  async findRetention(run, projectId) {
    const row = await run.first(findRetentionRow, { projectId });
    return { days: row?.days ?? null, sweptEventSeq: row?.swept_event ?? 0 };
  },

  async listUnsweptIntents(run, projectId, limit) {
    const after = (await run.first(findRetentionRow, { projectId }))?.swept_intent ?? 0;
    const walks = INTENT_STATUSES.map((status) => run.all(listUnswept, { projectId, status, after, limit }));
    const seqs = (await Promise.all(walks)).flat().map(({ seq }) => seq);
    const oldest = seqs.sort((a, b) => a - b).slice(0, limit);
    const rows = await Promise.all(oldest.map((seq) => run.first(findId, { seq })));
    return readIntents(
      run,
      rows.flatMap((row) => row?.id ?? []),
    );
  },

  async listWaitingIntents(run, projectId, now, limit) {
    const rows = await run.all(listWaiting, { projectId, now, limit });
    return readIntents(
      run,
      rows.map((row) => row.intent_id),
    );
  },
};

export const retentionWrites: OverRunner<RetentionWriter> = {
  async setRetentionDays(run, projectId, days) {
    await run.change(saveDays, { projectId, days });
  },

  async saveSweptEvent(run, projectId, seq) {
    await run.change(saveEvent, { projectId, seq });
  },

  async saveSweptIntent(run, projectId, intentId) {
    const seq = (await run.first(findSeq, { id: intentId }))?.seq;
    if (seq === undefined) throw new Error(`intent ${intentId} is gone`);
    await run.change(saveIntent, { projectId, seq });
  },

  async saveWaitingIntent(run, { id, projectId }, dueAt) {
    if (dueAt === null) await run.change(deleteWaiting, { id });
    else await run.change(saveWaiting, { id, projectId, dueAt });
  },
};

async function readIntents(run: QueryRunner, ids: readonly string[]): Promise<Intent[]> {
  const found: Intent[] = [];
  for (const id of ids) {
    const intent = await intentReads.findIntent(run, id);
    if (intent) found.push(intent);
  }
  return found;
}
