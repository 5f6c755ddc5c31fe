import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { readBackupKey } from '../backup-file/read-backup-key.ts';
import { type ExpectationFlags, readExpectations } from '../backup-file/read-expectations.ts';
import { runBackupWork } from '../backup-file/run-backup-work.ts';
import { projectsToJson, sizeOf, tellProjects } from '../backup-file/tell-projects.ts';
import { dataOption, examples, jsonOption } from '../command-options.ts';
import { printJson } from '../printing/print.ts';
import { paint } from '../printing/say.ts';
import { readSettings } from '../read-settings.ts';
import { refuseDatabase } from '../refuse-database.ts';

export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .summary('back up a gate into one file while it serves')
    .description(
      'Back up a gate in a data directory into one file: its database and signing keys. A server may be running on it. With a key, the file is encrypted.',
    )
    .argument('<file>', 'the file to write; it must not exist')
    // `backup verify` has flags with the same names. A flag after `verify` belongs to `verify`.
    .enablePositionalOptions()
    .addOption(dataOption())
    .addOption(keyOption('a public key (age1…) is enough'))
    .addOption(
      new Option(
        '--with-plain-keys',
        'include private signing keys in a file that is not encrypted',
      ).conflicts('publicKeysOnly'),
    )
    .option('--public-keys-only', 'leave private signing keys out of a file that is not encrypted')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'permitry backup keygen --out backup-identity.txt',
        'permitry backup monday.backup --key-file backup-recipient.txt',
        'permitry backup verify monday.backup --key-file backup-identity.txt',
      ),
    )
    .action(create);
  addVerifyCommand(backup);
  addKeygenCommand(backup);
}

/** The options that `backup verify` and `restore` share. */
export function addExpectationOptions(command: Command): Command {
  return command
    .addOption(keyOption('the secret key (AGE-SECRET-KEY-1…)'))
    .option('--sha256 <digest>', 'the SHA-256 digest of the file, as permitry backup printed it')
    .option('--jwks <file>', "the gate's keys, saved from /.well-known/jwks.json")
    .option(
      '--since <head>',
      'a head kept elsewhere; shows how many records the backup lacks (repeatable)',
      (head: string, heads: readonly string[] = []) => [...heads, head],
    );
}

function keyOption(what: string): Option {
  return new Option(
    '--key-file <file>',
    `file with the key or passphrase: ${what} (env: PERMITRY_BACKUP_KEY)`,
  );
}

function addVerifyCommand(backup: Command): void {
  addExpectationOptions(
    backup
      .command('verify')
      .summary('check whether a backup can be restored')
      .description(
        'Do everything that a restore does before it creates a gate: open the file, check every hash, and verify the database and every audit log. Use it after each backup.',
      )
      .argument('<file>', 'a backup that permitry backup wrote'),
  )
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry backup verify monday.backup --key-file backup-identity.txt'))
    .action(verify);
}

function addKeygenCommand(backup: Command): void {
  backup
    .command('keygen')
    .summary('create a key pair for backups')
    .description(
      'Create a key pair in the format of age-keygen. The public key (age1…) encrypts backups and is not secret. The secret key opens them: keep it away from the gate.',
    )
    .option('--out <file>', 'write the secret key to this file (mode 0600) and print the public key')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry backup keygen --out backup-identity.txt > backup-recipient.txt'))
    .action(keygen);
}

interface BackupFlags {
  data?: string;
  keyFile?: string;
  withPlainKeys?: true;
  publicKeysOnly?: true;
  json?: true;
}

async function create(file: string, flags: BackupFlags): Promise<void> {
  const { issuerOfDirectory } = await import('@permitry/server');
  const { createBackup } = await import('@permitry/server/ops');
  const config = await readSettings(flags);
  refuseDatabase(config, 'backup');
  const backup = await runBackupWork(async (onProgress) =>
    createBackup({
      dataDir: config.dataDir,
      file,
      baseUrl: issuerOfDirectory(config),
      key: await readBackupKey(flags.keyFile),
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
Keep these heads and the digest elsewhere. Check the backup with: permitry backup verify ${file}${keyFile}
`);
}

type VerifyBackupFlags = ExpectationFlags & { json?: true };

async function verify(file: string, flags: VerifyBackupFlags): Promise<void> {
  const { verifyBackup } = await import('@permitry/server/ops');
  const verified = await runBackupWork(async (onProgress) =>
    verifyBackup(file, { ...(await readExpectations(flags)), onProgress }),
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

interface KeygenFlags {
  out?: string;
  json?: true;
}

async function keygen({ out, json }: KeygenFlags): Promise<void> {
  const { generateBackupKey } = await import('@permitry/server/ops');
  const { identity, recipient } = await generateBackupKey();
  const text = `# created by permitry backup keygen; opens backups encrypted to ${recipient}\n# public key: ${recipient}\n${identity}\n`;
  if (out === undefined) {
    if (json) return printJson({ recipient, identity });
    process.stdout.write(text);
    return;
  }
  writeFileSync(out, text, { mode: 0o600, flag: 'wx' });
  if (json) return printJson({ recipient, identity_file: out });
  process.stdout.write(`${recipient}\n`);
}
