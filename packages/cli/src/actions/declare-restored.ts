import { adoptComplete, adoptDatabase } from '@permitry/server/ops';
import { runBackupWork } from '../backup-file/run-backup-work.ts';
import { adoptedToJson, assertKeysDecided, tellRestored } from '../backup-file/tell-restored.ts';
import { CommandFailure } from '../command-failure.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { paint } from '../printing/paint.ts';
import { printJson } from '../printing/print-json.ts';
import { readSettings } from '../read-settings.ts';

export interface DeclareRestoredFlags {
  database?: string;
  revokeKeys?: true;
  keepKeys?: true;
  nothingLost?: true;
  json?: true;
}

export async function declareRestored(flags: DeclareRestoredFlags): Promise<void> {
  const { database, revokeKeys, nothingLost, json } = flags;
  const where = { ...(database === undefined ? {} : { database }), json };
  const config = readSettings(where);
  if (!config.databaseUrl) {
    throw new CommandFailure(
      2,
      'Name a PostgreSQL database by PERMITRY_DATABASE_URL or --database. For a data directory: permitry restore --in-place',
    );
  }
  const { shown } = config.databaseUrl;
  if (nothingLost) {
    await runBackupWork(() => withGate(where, (opened) => adoptComplete(opened)));
    if (json) return printJson({ database: shown, nothing_lost: true });
    process.stdout.write(
      `${paint('green', 'Taken over')} ${shown} as it is: gates may serve it, and every approval in it holds.\n`,
    );
    return;
  }
  assertKeysDecided(flags);
  const adopted = await runBackupWork(() =>
    withGate(where, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: revokeKeys === true })),
  );
  if (json) return printJson({ database: shown, ...adoptedToJson(adopted) });
  process.stdout.write(
    `${paint('green', 'Taken over')} ${shown}, as of ${adopted.copiedAt} or later.\n${tellRestored(adopted, config)}`,
  );
}
