import type { Command } from 'commander';
import { type AdminFlags, examples, gateCommand } from '../command-options.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { printJson } from '../print-json.ts';
import { printTable } from '../print-table.ts';

export function addSigningKeysCommands(program: Command): void {
  const keys = program
    .command('signing-keys')
    .summary('what permits, receipts and audit heads are signed with')
    .description('What permits, receipts and audit heads are signed with.');

  gateCommand(keys, 'list', 'list the published keys, and which one signs')
    .addHelpText('after', examples('permitry signing-keys list'))
    .action(list);

  gateCommand(keys, 'rotate', 'sign with the next key; the old one still verifies')
    .addHelpText('after', examples('permitry signing-keys rotate'))
    .action(rotate);
}

async function list(flags: AdminFlags): Promise<void> {
  const keys = await withGate(flags, async (_, signer) =>
    signer.publicKeys().map((jwk) => ({ ...jwk, signs: jwk.kid === signer.current.kid })),
  );
  if (flags.json) return printJson(keys);
  printTable(
    keys,
    [
      { title: 'KID', text: ({ kid }) => kid },
      { title: 'ALG', text: ({ alg }) => alg },
      { title: 'USE', text: ({ signs }) => (signs ? 'signs and verifies' : 'verifies') },
    ],
    'There are no keys.',
  );
}

async function rotate(flags: AdminFlags): Promise<void> {
  const kids = await withGate(flags, async (_, signer) => {
    const before = signer.current.kid;
    return { kid: signer.rotate(), previous_kid: before };
  });
  if (flags.json) return printJson(kids);
  process.stdout.write(
    `${kids.kid} signs now; a running server follows within seconds. ${kids.previous_kid} still verifies.\n`,
  );
}
