import { tables } from './0001-tables.postgres.ts';

/** In the order in which they are run; what was released is never changed. */
export const postgresMigrations: readonly string[] = [tables];
