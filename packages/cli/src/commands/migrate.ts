import { type Command, Option } from 'commander';
import { refused, usage } from '../command-failure.ts';
import { databaseOption, examples, jsonOption } from '../command-options.ts';
import { printJson } from '../printing/print.ts';
import { counted } from '../printing/say.ts';
import { readSettings } from '../read-settings.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .summary('update the schema of a PostgreSQL database')
    .description(
      'Update the schema of a PostgreSQL database. Gates of the previous release can keep serving it. A gate does the same when it starts, unless PERMITRY_MIGRATE_AT_START is false. A data directory is updated whenever it is opened.',
    )
    .addOption(databaseOption())
    .addOption(new Option('--status', 'only report the current and the needed schema version'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Exit codes of --status: 0 up to date; 3 out of date or empty; 1 a problem, such
as a database that cannot be reached or that only newer releases may serve; 2
usage.
`,
    )
    .addHelpText('after', examples('permitry migrate --status', 'permitry migrate'))
    .action(migrate);
}

/** The exit code of `--status`. */
const OUT_OF_DATE = 3;

interface MigrateFlags {
  database?: string;
  status?: true;
  json?: true;
}

async function migrate({ database, status, json }: MigrateFlags): Promise<void> {
  const { findNewerSchema, readSchemaStatus, updateSchema } = await import('@permitry/server/ops');
  const { databaseUrl } = await readSettings(
    { database },
    // A person who may change tables does not need access to the signing keys.
    { opensGate: false },
  );
  if (!databaseUrl) {
    throw usage(
      'Name a PostgreSQL database with PERMITRY_DATABASE_URL or --database. A data directory needs no migration: it is updated whenever it is opened.',
    );
  }
  const url = databaseUrl.reveal();
  const found = await (status ? readSchemaStatus(url) : updateSchema(url, tell));
  const newer = findNewerSchema(found);
  if (newer !== undefined) throw refused(newer);
  const { version, needed } = found;
  // If this release can serve a newer schema, no migration is missing.
  const missing = Math.max(needed - version, 0);
  if (status && missing > 0) process.exitCode = OUT_OF_DATE;
  if (json) {
    return printJson({
      database: databaseUrl.shown,
      version: status ? version : version + missing,
      needed,
      ...(status ? {} : { run: missing }),
    });
  }
  const text = status
    ? `${databaseUrl.shown} has schema version ${version}; this release needs ${needed}.\n`
    : missing === 0
      ? `${databaseUrl.shown} is already up to date: schema version ${version}.\n`
      : `${databaseUrl.shown} now has schema version ${needed}: ${counted(missing, 'migration')} applied.\n`;
  process.stdout.write(text);
}

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
