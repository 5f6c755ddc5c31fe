import { tables as postgres } from './0001-tables.postgres.ts';
import { tables as sqlite } from './0001-tables.sqlite.ts';
import type { Migration } from './migration.ts';

/** In the order of execution. A released migration never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { servesFrom: 1, steps: [{ statement: { sqlite, postgres } }] },
];
