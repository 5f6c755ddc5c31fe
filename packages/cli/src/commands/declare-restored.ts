import { type Command, Option } from 'commander';
import { runBackupWork } from '../backup-file/run-backup-work.ts';
import { adoptedToJson, assertKeysDecided, tellRestored } from '../backup-file/tell-restored.ts';
import { usage } from '../command-failure.ts';
import { databaseOption, examples, jsonOption } from '../command-options.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import { printJson } from '../printing/print.ts';
import { paint } from '../printing/say.ts';
import { readSettings } from '../read-settings.ts';

export function addDeclareRestoredCommand(program: Command): void {
  program
    .command('declare-restored')
    .summary('declare that a PostgreSQL database was restored to an older state')
    .description(
      'Declare that a PostgreSQL database was restored from a dump, a base backup or a point in time, or taken over by a standby that was behind. Run it before any gate serves the database. It revokes approvals that may have been used since, signs people out, and stops every project until you start it.',
    )
    .addOption(databaseOption())
    .addOption(
      new Option(
        '--revoke-keys',
        'revoke every API key and access token, so that none revoked since works again',
      ).conflicts('keepKeys'),
    )
    .addOption(new Option('--keep-keys', 'keep them: keys revoked since work again').conflicts('nothingLost'))
    .addOption(
      new Option(
        '--nothing-lost',
        'revoke nothing; only for a database that received the newest state while all gates were stopped (pg_upgrade, a planned copy)',
      ).conflicts('revokeKeys'),
    )
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry declare-restored --revoke-keys'))
    .action(declareRestored);
}

interface DeclareRestoredFlags {
  database?: string;
  revokeKeys?: true;
  keepKeys?: true;
  nothingLost?: true;
  json?: true;
}

async function declareRestored(flags: DeclareRestoredFlags): Promise<void> {
  const { adoptComplete, adoptDatabase } = await import('@permitry/server/ops');
  const { revokeKeys, nothingLost, json } = flags;
  const config = await readSettings(flags);
  if (!config.databaseUrl) {
    throw usage(
      'Name a PostgreSQL database with PERMITRY_DATABASE_URL or --database. For a data directory, use: permitry restore --in-place',
    );
  }
  const { shown } = config.databaseUrl;
  if (nothingLost) {
    await runBackupWork(() => withGate(flags, (opened) => adoptComplete(opened)));
    if (json) return printJson({ database: shown, nothing_lost: true });
    process.stdout.write(
      `${paint('green', 'Taken over')} ${shown} as it is. Gates may serve it, and every approval in it stays valid.\n`,
    );
    return;
  }
  assertKeysDecided(flags);
  const adopted = await runBackupWork(() =>
    withGate(flags, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: revokeKeys === true })),
  );
  if (json) return printJson({ database: shown, ...adoptedToJson(adopted) });
  process.stdout.write(
    `${paint('green', 'Taken over')} ${shown}, as of ${adopted.copiedAt} or later.\n${tellRestored(adopted, config)}`,
  );
}
