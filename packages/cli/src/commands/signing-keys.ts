import { type Command, Option } from 'commander';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { wholeNumber } from '../input/whole-number.ts';

const actions = () => import('../actions/signing-keys.ts');

export interface RotateFlags extends AdminFlags {
  wait?: true;
  now?: true;
}

export interface CompromiseFlags extends AdminFlags {
  all?: true;
}

export interface SignedByFlags extends AdminFlags {
  unused?: true;
  limit?: number;
  cursor?: string;
}

export interface AdoptFlags extends AdminFlags {
  id?: string;
  label?: string;
}

export function addSigningKeysCommands(program: Command): void {
  const keys = program
    .command('signing-keys')
    .summary('what permits, receipts and audit heads are signed with')
    .description('What permits, receipts and audit heads are signed with. The guide: docs/keys.md.')
    .addHelpText('after', examples('permitry signing-keys rotate'));

  gateCommand(keys, 'list', 'list the keys, their states, and how their private parts are kept')
    .addHelpText('after', examples('permitry signing-keys list'))
    .action(async (flags: AdminFlags) => (await actions()).list(flags));

  gateCommand(keys, 'rotate', 'sign with the next key; the old one still verifies')
    .addOption(new Option('--wait', 'when the next key is too young, wait until it may sign'))
    .addOption(
      new Option('--now', 'sign with it all the same; verifiers may refuse for minutes').conflicts('wait'),
    )
    .addHelpText('after', examples('permitry signing-keys rotate', 'permitry signing-keys rotate --wait'))
    .action(async (flags: RotateFlags) => (await actions()).rotate(flags));

  gateCommand(keys, 'compromise', 'withdraw a key at once, and name what it signed')
    .argument('[kid]', 'the key; final')
    .addOption(new Option('--all', 'every key that can sign, now or next: all that lay in the same place'))
    .addHelpText(
      'after',
      examples('permitry signing-keys compromise KID', 'permitry signing-keys compromise --all'),
    )
    .action(async (kid: string | undefined, flags: CompromiseFlags) =>
      (await actions()).compromise(kid, flags),
    );

  adminCommand(keys, 'signed-by', 'list the receipts and unused permits that compromised keys signed')
    .argument('[kid]', 'of this key alone, whatever its state')
    .addOption(new Option('--unused', 'only those with a permit that nobody has used'))
    .option('--limit <n>', 'at most so many, and the cursor of what follows', wholeNumber(1, 200))
    .addOption(new Option('--cursor <cursor>', 'go on where an earlier answer ended'))
    .addHelpText('after', examples('permitry signing-keys signed-by --json > signed.json'))
    .action(async (kid: string | undefined, flags: SignedByFlags) => (await actions()).signedBy(kid, flags));

  gateCommand(keys, 'encrypt', 'write every private part under the key-encryption key of now')
    .addHelpText('after', examples('permitry signing-keys encrypt'))
    .action(async (flags: AdminFlags) => (await actions()).encrypt(flags));

  gateCommand(keys, 'adopt', 'take a key that was made in the PKCS#11 token as the next key')
    .addOption(new Option('--id <hex>', 'its CKA_ID'))
    .addOption(new Option('--label <label>', 'its CKA_LABEL'))
    .addHelpText('after', examples('permitry signing-keys adopt --label permitry-2027'))
    .action(async (flags: AdoptFlags) => (await actions()).adopt(flags));
}
