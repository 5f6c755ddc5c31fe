import type { Config } from '@permitry/server';
import type { Restored } from '@permitry/server/ops';
import { type Command, Option } from 'commander';
import { type ExpectationFlags, readExpectations } from '../backup-file/read-expectations.ts';
import { runBackupWork } from '../backup-file/run-backup-work.ts';
import { projectsToJson, tellProjects } from '../backup-file/tell-projects.ts';
import { adoptedToJson, assertKeysDecided, tellRestored } from '../backup-file/tell-restored.ts';
import { usage } from '../command-failure.ts';
import { dataOption, examples, jsonOption } from '../command-options.ts';
import { OPERATOR, withOpenGate } from '../open-gate.ts';
import { printJson } from '../printing/print.ts';
import { paint } from '../printing/say.ts';
import { readSettings } from '../read-settings.ts';
import { refuseDatabase } from '../refuse-database.ts';
import { addExpectationOptions } from './backup.ts';

export function addRestoreCommand(program: Command): void {
  addExpectationOptions(
    program
      .command('restore')
      .summary('create a gate from a backup')
      .description(
        'Create a gate from a backup, in a directory that is empty or does not exist. Everything is verified first. Approvals that were unused at the time of the backup are revoked, and every project is stopped until you start it.',
      )
      .argument('[file]', 'a backup that permitry backup wrote')
      .addOption(dataOption()),
  )
    .addOption(
      new Option(
        '--revoke-keys',
        'revoke every API key and access token, so that none revoked since works again',
      ).conflicts('keepKeys'),
    )
    .option('--keep-keys', 'keep them: keys revoked after the backup work again')
    .option(
      '--in-place',
      'take over the data directory itself: it is a restored copy, such as a disk snapshot',
    )
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry restore monday.backup --data ./restored --revoke-keys'))
    .action(restore);
}

type RestoreFlags = ExpectationFlags & {
  data?: string;
  revokeKeys?: true;
  keepKeys?: true;
  inPlace?: true;
  json?: true;
};

const WITHOUT_FILE: readonly (keyof RestoreFlags)[] = ['keyFile', 'sha256', 'jwks', 'since'];

async function restore(file: string | undefined, flags: RestoreFlags): Promise<void> {
  const { restoreBackup } = await import('@permitry/server/ops');
  const config = await readSettings(flags);
  refuseDatabase(config, 'restore');
  const { dataDir } = config;
  assertKeysDecided(flags);
  if (flags.inPlace) return adopt(file, flags, config);
  if (file === undefined) throw usage('Name the backup file. See: permitry restore --help');
  const restored = await runBackupWork(async (onProgress) =>
    restoreBackup({
      ...(await readExpectations(flags)),
      file,
      dataDir,
      revokeKeys: flags.revokeKeys === true,
      operator: OPERATOR,
      withGate: (there, work) =>
        withOpenGate({ ...config, dataDir: there.dataDir, baseUrl: there.issuer }, ({ gate }) => work(gate)),
      onProgress,
    }),
  );
  if (flags.json) return printJson(toJson(restored, file, dataDir));
  process.stdout.write(`${paint('green', 'Restored')} ${file} into ${dataDir}, as of ${restored.manifest.created_at}.
${tellProjects(restored.projects)}${tellRestored(restored, config)}`);
}

/** Takes over a directory that another tool restored. The result is the same gate that permitry restore would create. */
async function adopt(file: string | undefined, flags: RestoreFlags, config: Config): Promise<void> {
  const { issuerOfDirectory } = await import('@permitry/server');
  const { adoptCopy } = await import('@permitry/server/ops');
  const { dataDir } = config;
  if (file !== undefined || WITHOUT_FILE.some((flag) => flags[flag] !== undefined))
    throw usage('--in-place takes no backup file, and none of --key-file, --sha256, --jwks and --since.');
  const adopted = await runBackupWork(() =>
    adoptCopy({
      dataDir,
      issuer: issuerOfDirectory(config),
      revokeKeys: flags.revokeKeys === true,
      operator: OPERATOR,
      withGate: (_there, work) => withOpenGate(config, ({ gate }) => work(gate)),
    }),
  );
  const { copiedAt } = adopted;
  if (flags.json) {
    return printJson({ data: dataDir, ...adoptedToJson(adopted) });
  }
  process.stdout.write(
    `${paint('green', 'Taken over')} ${dataDir}, as of ${copiedAt} or later.\n${tellRestored(adopted, config)}`,
  );
}

function toJson(
  { manifest, projects, restored, keysRevoked, sha256 }: Restored,
  file: string,
  dataDir: string,
): object {
  return {
    file,
    sha256,
    data: dataDir,
    created_at: manifest.created_at,
    private_keys: manifest.private_keys,
    keys_revoked: keysRevoked,
    projects: projectsToJson(projects).map((project, index) => ({
      ...project,
      stopped: true,
      approvals_revoked: restored[index]?.approvalsRevoked ?? 0,
      pending: restored[index]?.pending ?? 0,
    })),
  };
}
