import { type Config, issuerFor } from '@permitry/server';
import { type Adopted, adoptCopy, type Restored, restoreBackup } from '@permitry/server/backup';
import { type ExpectationFlags, readExpectations } from '../backup-file/read-expectations.ts';
import { runBackupWork } from '../backup-file/run-backup-work.ts';
import { projectsToJson, tellProjects } from '../backup-file/tell-projects.ts';
import { CommandFailure } from '../command-failure.ts';
import { counted } from '../counted.ts';
import { withOpenGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { paint } from '../paint.ts';
import { printJson } from '../print-json.ts';
import { readSettings } from '../read-settings.ts';

export type RestoreFlags = ExpectationFlags & {
  data?: string;
  revokeKeys?: true;
  keepKeys?: true;
  inPlace?: true;
  json?: true;
};

const WITHOUT_FILE: readonly (keyof RestoreFlags)[] = ['keyFile', 'sha256', 'jwks', 'since'];

export async function restore(file: string | undefined, flags: RestoreFlags): Promise<void> {
  const config = readSettings(flags.data === undefined ? {} : { data: flags.data });
  const { dataDir } = config;
  if (!flags.revokeKeys && !flags.keepKeys) {
    throw new CommandFailure(
      2,
      'Keys that were revoked after the backup would be alive again: say --revoke-keys to end all API keys and user ' +
        'tokens, or --keep-keys to keep them and look through them yourself.',
    );
  }
  if (flags.inPlace) return adopt(file, flags, config);
  if (file === undefined) throw new CommandFailure(2, 'Name the backup; see: permitry restore --help');
  const restored = await runBackupWork((onProgress) =>
    restoreBackup({
      ...readExpectations(flags),
      file,
      dataDir,
      revokeKeys: flags.revokeKeys === true,
      operator: OPERATOR,
      withGate: (there, work) =>
        withOpenGate({ ...config, dataDir: there.dataDir, baseUrl: there.issuer }, work),
      onProgress,
    }),
  );
  if (flags.json) return printJson(toJson(restored, file, dataDir));
  process.stdout.write(`${paint('green', 'Restored')} ${file} into ${dataDir}, as of ${restored.manifest.created_at}.
${tellProjects(restored.projects)}${tellRestored(restored, dataDir)}`);
}

/** What restored a directory by itself has left it as it was: it is made the gate that permitry restore would make. */
async function adopt(file: string | undefined, flags: RestoreFlags, config: Config): Promise<void> {
  const { dataDir } = config;
  if (file !== undefined || WITHOUT_FILE.some((flag) => flags[flag] !== undefined))
    throw new CommandFailure(2, '--in-place takes no backup, and nothing to hold one against.');
  const adopted = await runBackupWork(() =>
    adoptCopy({
      dataDir,
      issuer: issuerFor(config),
      revokeKeys: flags.revokeKeys === true,
      operator: OPERATOR,
      withGate: (_there, work) => withOpenGate(config, work),
    }),
  );
  const { copiedAt, restored, keysRevoked } = adopted;
  if (flags.json) {
    return printJson({
      data: dataDir,
      created_at: copiedAt,
      keys_revoked: keysRevoked,
      projects: restored.map(({ projectId, name, approvalsRevoked, pending }) => ({
        id: projectId,
        name,
        stopped: true,
        approvals_revoked: approvalsRevoked,
        pending,
      })),
    });
  }
  process.stdout.write(
    `${paint('green', 'Taken over')} ${dataDir}, as of ${copiedAt} or later.\n${tellRestored(adopted, dataDir)}`,
  );
}

function tellRestored(
  { restored, keysRevoked, manifest }: Omit<Adopted, 'copiedAt'> & { manifest?: Restored['manifest'] },
  dataDir: string,
): string {
  const done = restored
    .map(
      ({ name, approvalsRevoked, pending }) =>
        `  "${name}" is stopped; ${counted(approvalsRevoked, 'unused approval')} taken back; ${counted(pending, 'intent')} pending\n`,
    )
    .join('');
  const keys =
    keysRevoked > 0
      ? `Ended ${counted(keysRevoked, 'key')}; make new ones with: permitry keys create --data ${dataDir}\n`
      : `API keys are as they were then: look through permitry keys list --data ${dataDir}\n`;
  const signing =
    manifest?.private_keys === 'left_out'
      ? 'The backup held no private signing keys: a new one signs from now on.\n'
      : '';
  return `${done}${keys}${signing}Agents, people and policies are as they were then, too. When you have looked at them, and the
lost gate cannot come back: permitry project start --data ${dataDir}
`;
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
