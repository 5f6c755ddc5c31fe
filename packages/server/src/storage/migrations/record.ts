/**
 * The record of migrations in a database. Its form never changes, because a release must read it even for migrations
 * that it does not know.
 */
import type { Migration } from './migration.ts';

export interface SchemaState {
  version: number;
  /** A migration in progress may have raised this version. */
  servesFrom: number;
  /** Completed steps of the migration in progress. */
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

/** Converts a row that `READ_RECORD` finds. */
export function toState(row: Readonly<Record<string, unknown>> | undefined): SchemaState {
  return {
    version: Number(row?.version),
    servesFrom: Number(row?.serves_from),
    stepsDone: Number(row?.steps_done),
  };
}

/** The statement that records how far a migration has come. */
export function recordSteps(version: number, { servesFrom, steps }: Migration, done: number): string {
  return `insert into permitry_migrations (version, serves_from, steps, steps_done, applied_at)
    values (${version}, ${servesFrom}, ${steps.length}, ${done}, '${new Date().toISOString()}')
    on conflict (version) do update set steps_done = excluded.steps_done, applied_at = excluded.applied_at;`;
}
