/** What a database records of its migrations. Its form never changes: a release reads it of migrations that it does not know. */
import type { Migration } from './migration.ts';

export interface SchemaState {
  version: number;
  /** A migration that is under way may have raised it. */
  servesFrom: number;
  /** Steps of the migration that is under way. */
  stepsDone: number;
}

export const NOTHING_DONE: SchemaState = { version: 0, servesFrom: 0, stepsDone: 0 };

export const RECORD_TABLE = `create table permitry_migrations (
  version {integer} primary key,
  serves_from {integer} not null,
  steps {integer} not null,
  steps_done {integer} not null,
  applied_at {text} not null
) {strict};`;

export const READ_RECORD = `select
  coalesce(max(case when steps_done = steps then version end), 0) as version,
  coalesce(max(serves_from), 0) as serves_from,
  coalesce(max(case when steps_done < steps then steps_done end), 0) as steps_done
from permitry_migrations`;

/** Of a row that `READ_RECORD` finds. */
export function toState(row: Readonly<Record<string, unknown>> | undefined): SchemaState {
  return {
    version: Number(row?.version),
    servesFrom: Number(row?.serves_from),
    stepsDone: Number(row?.steps_done),
  };
}

/** The statement that writes down how far a migration has come. */
export function recordSteps(version: number, { servesFrom, steps }: Migration, done: number): string {
  return `insert into permitry_migrations (version, serves_from, steps, steps_done, applied_at)
    values (${version}, ${servesFrom}, ${steps.length}, ${done}, '${new Date().toISOString()}')
    on conflict (version) do update set steps_done = excluded.steps_done, applied_at = excluded.applied_at;`;
}
