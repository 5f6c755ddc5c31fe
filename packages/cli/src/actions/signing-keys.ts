import type { AdminFlags } from '../command-options.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { printJson } from '../print-json.ts';
import { printTable } from '../print-table.ts';

export async function list(flags: AdminFlags): Promise<void> {
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

export async function rotate(flags: AdminFlags): Promise<void> {
  const kids = await withGate(flags, async (_, signer) => {
    const before = signer.current.kid;
    return { kid: signer.rotate(), previous_kid: before };
  });
  if (flags.json) return printJson(kids);
  process.stdout.write(
    `${kids.kid} signs now; a running server follows within seconds. ${kids.previous_kid} still verifies.\n`,
  );
}
