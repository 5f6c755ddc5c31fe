import { type Command, Option } from 'commander';
import type { BackupFlags, KeygenFlags, VerifyBackupFlags } from '../actions/backup.ts';
import { dataOption, examples, jsonOption } from '../command-options.ts';

const actions = () => import('../actions/backup.ts');

export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .summary('back a gate up into one file, while it serves')
    .description(
      'Backs the gate up into one file, whether a server is running on it or not: database and signing keys, encrypted when there is a key.',
    )
    .argument('<file>', 'to be written; must not exist')
    // Its flags are also those of backup verify, which is to get its own.
    .enablePositionalOptions()
    .addOption(dataOption())
    .addOption(keyOption('a public key (age1…) is enough'))
    .addOption(
      new Option('--with-plain-keys', 'let private signing keys into a file that is not encrypted').conflicts(
        'publicKeysOnly',
      ),
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
    .action(async (file: string, flags: BackupFlags) => (await actions()).create(file, flags));
  addVerifyCommand(backup);
  addKeygenCommand(backup);
}

/** Restoring takes the same ones. */
export function addExpectationOptions(command: Command): Command {
  return command
    .addOption(keyOption('the secret one (AGE-SECRET-KEY-1…)'))
    .option('--sha256 <digest>', 'what the file must be, as backup printed it')
    .option('--jwks <file>', "the gate's keys, saved from /.well-known/jwks.json")
    .option(
      '--since <head>',
      'a head kept elsewhere: says how much history the backup lacks (repeatable)',
      (head: string, heads: readonly string[] = []) => [...heads, head],
    );
}

function keyOption(what: string): Option {
  return new Option('--key-file <file>', `key or passphrase: ${what} (PERMITRY_BACKUP_KEY)`);
}

function addVerifyCommand(backup: Command): void {
  addExpectationOptions(
    backup
      .command('verify')
      .summary('look whether a backup can be restored')
      .description(
        'Does all that a restore does before it makes a gate: opens the file, holds every byte against its hash, and verifies the database and every audit log.',
      )
      .argument('<file>', 'as permitry backup wrote it'),
  )
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry backup verify monday.backup --key-file backup-identity.txt'))
    .action(async (file: string, flags: VerifyBackupFlags) => (await actions()).verify(file, flags));
}

function addKeygenCommand(backup: Command): void {
  backup
    .command('keygen')
    .summary('make a key to encrypt backups to')
    .description(
      'Makes a key pair in the form of age-keygen. The secret part opens backups: keep it away from the gate. The public part (age1…) encrypts them and is no secret.',
    )
    .option('--out <file>', 'write the secret part there (mode 0600), print the public one')
    .addOption(jsonOption())
    .addHelpText('after', examples('permitry backup keygen --out backup-identity.txt > backup-recipient.txt'))
    .action(async (flags: KeygenFlags) => (await actions()).keygen(flags));
}
