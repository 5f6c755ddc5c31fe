import { tables } from './0001-tables.sqlite.ts';

/** In the order in which they are run; what was released is never changed. */
export const sqliteMigrations: readonly string[] = [tables];
