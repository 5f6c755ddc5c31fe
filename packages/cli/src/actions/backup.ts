import { writeFileSync } from 'node:fs';
import { issuerOfDirectory } from '@permitry/server';
import { createBackup, generateBackupKey, verifyBackup } from '@permitry/server/ops';
import { readBackupKey } from '../backup-file/read-backup-key.ts';
import { type ExpectationFlags, readExpectations } from '../backup-file/read-expectations.ts';
import { runBackupWork } from '../backup-file/run-backup-work.ts';
import { projectsToJson, sizeOf, tellProjects } from '../backup-file/tell-projects.ts';
import { paint } from '../printing/paint.ts';
import { printJson } from '../printing/print-json.ts';
import { readSettings } from '../read-settings.ts';
import { refuseDatabase } from '../refuse-database.ts';

export interface BackupFlags {
  data?: string;
  keyFile?: string;
  withPlainKeys?: true;
  publicKeysOnly?: true;
  json?: true;
}

export async function create(file: string, flags: BackupFlags): Promise<void> {
  const config = readSettings({
    ...(flags.data === undefined ? {} : { data: flags.data }),
    json: flags.json,
  });
  refuseDatabase(config, 'backup');
  const backup = await runBackupWork(async (onProgress) =>
    createBackup({
      dataDir: config.dataDir,
      file,
      baseUrl: issuerOfDirectory(config),
      key: readBackupKey(flags.keyFile),
      keysInClear: flags.withPlainKeys ? 'included' : flags.publicKeysOnly ? 'left_out' : undefined,
      clock: { now: () => new Date().toISOString() },
      onProgress,
    }),
  );
  const { manifest, bytes, sha256, encryptedTo } = backup;
  if (flags.json) {
    return printJson({
      file,
      bytes,
      sha256,
      created_at: manifest.created_at,
      encrypted_to: encryptedTo,
      private_keys: manifest.private_keys,
      schema_version: manifest.schema_version,
      projects: projectsToJson(manifest.projects),
    });
  }
  const how =
    encryptedTo === null
      ? paint('yellow', 'not encrypted')
      : `encrypted to ${encryptedTo === 'passphrase' ? 'a passphrase' : 'a public key'}`;
  const keyFile = encryptedTo === null ? '' : ' --key-file …';
  process.stdout.write(`Wrote ${file}: ${sizeOf(bytes)}, ${how}, as of ${manifest.created_at}.
${tellProjects(manifest.projects)}  sha256  ${sha256}
Keep these heads and the digest elsewhere. Try it: permitry backup verify ${file}${keyFile}
`);
}

export type VerifyBackupFlags = ExpectationFlags & { json?: true };

export async function verify(file: string, flags: VerifyBackupFlags): Promise<void> {
  const verified = await runBackupWork((onProgress) =>
    verifyBackup(file, { ...readExpectations(flags), onProgress }),
  );
  const { manifest, isEncrypted, bytes, sha256, projects } = verified;
  if (flags.json) {
    return printJson({
      valid: true,
      file,
      bytes,
      sha256,
      created_at: manifest.created_at,
      encrypted: isEncrypted,
      private_keys: manifest.private_keys,
      schema_version: manifest.schema_version,
      projects: projectsToJson(projects),
    });
  }
  process.stdout.write(
    `${paint('green', 'valid')}  ${file}: as of ${manifest.created_at}, ${isEncrypted ? 'encrypted' : 'not encrypted'}\n${tellProjects(projects)}  sha256  ${sha256}\n`,
  );
}

export interface KeygenFlags {
  out?: string;
  json?: true;
}

export async function keygen({ out, json }: KeygenFlags): Promise<void> {
  const { identity, recipient } = await generateBackupKey();
  const text = `# made by permitry backup keygen; opens the backups made for ${recipient}\n# public key: ${recipient}\n${identity}\n`;
  if (out === undefined) {
    if (json) return printJson({ recipient, identity });
    process.stdout.write(text);
    return;
  }
  writeFileSync(out, text, { mode: 0o600, flag: 'wx' });
  if (json) return printJson({ recipient, identity_file: out });
  process.stdout.write(`${recipient}\n`);
}
