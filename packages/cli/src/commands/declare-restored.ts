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
    .summary('say that a PostgreSQL database was put back to an older state')
    .description(
      'To be run before any gate serves a PostgreSQL database that was restored from a dump, a base backup or a point in time, or taken over by a standby that was behind. Approvals that may have been used since are taken back, people are signed out, and every project is stopped until you start it.',
    )
    .addOption(databaseOption())
    .addOption(
      new Option(
        '--revoke-keys',
        'end every API key and user token: none that was revoked comes back',
      ).conflicts('keepKeys'),
    )
    .addOption(
      new Option('--keep-keys', 'keep them: those revoked since are alive again').conflicts('nothingLost'),
    )
    .addOption(
      new Option(
        '--nothing-lost',
        'only for a database that the newest state was carried into while all gates were stopped (pg_upgrade, a planned copy): nothing is taken back',
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
      'Name a PostgreSQL database by PERMITRY_DATABASE_URL or --database. For a data directory: permitry restore --in-place',
    );
  }
  const { shown } = config.databaseUrl;
  if (nothingLost) {
    await runBackupWork(() => withGate(flags, (opened) => adoptComplete(opened)));
    if (json) return printJson({ database: shown, nothing_lost: true });
    process.stdout.write(
      `${paint('green', 'Taken over')} ${shown} as it is: gates may serve it, and every approval in it holds.\n`,
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
