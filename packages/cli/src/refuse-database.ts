import type { Config } from '@permitry/server';
import { usage } from './command-failure.ts';

const OTHERWISE = {
  backup:
    'Back it up with the tools of PostgreSQL: pg_dump, or a base backup with its log (pg_basebackup, or tools built on it). Keep PERMITRY_KEY_ENCRYPTION_KEY apart from it',
  restore:
    'Restore it with the tools of PostgreSQL, then run permitry declare-restored before any gate starts on it',
} as const;

/** Refuses a database: these commands work on a data directory. */
export function refuseDatabase({ databaseUrl }: Config, command: keyof typeof OTHERWISE): void {
  if (!databaseUrl) return;
  throw usage(
    `permitry ${command} works on a gate in a data directory, but this gate is in ${databaseUrl.shown}. ${OTHERWISE[command]}. See docs/operations.md.`,
  );
}
