import type { Config } from '@permitry/server';
import { usage } from './command-failure.ts';

const OTHERWISE = {
  backup:
    'Back it up with the means of PostgreSQL: pg_dump, or a base backup with its log (pg_basebackup, and tools that rest on it), and keep PERMITRY_KEY_ENCRYPTION_KEY apart from it',
  restore:
    'Restore it with the means of PostgreSQL, then run: permitry declare-restored, before any gate is started on it',
} as const;

/** Refuses a database: these commands work on a data directory. */
export function refuseDatabase({ databaseUrl }: Config, command: keyof typeof OTHERWISE): void {
  if (!databaseUrl) return;
  throw usage(
    `permitry ${command} is for a gate in a data directory, and this one is in ${databaseUrl.shown}. ${OTHERWISE[command]}; see docs/operations.md.`,
  );
}
