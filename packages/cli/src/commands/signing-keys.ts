import { setTimeout } from 'node:timers/promises';
import type { SignedApprovalSchema, Static } from '@permitry/protocol/schemas';
import type { OpenGate } from '@permitry/server';
import { type Command, Option } from 'commander';
import { type AtOwnProject, atOwn, atProject } from '../at-project.ts';
import { refused, usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { wholeNumber } from '../input/parse-argument.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { counted, fullTime, shortTime } from '../printing/say.ts';

type Signed = Static<typeof SignedApprovalSchema>;

interface RotateFlags extends AdminFlags {
  wait?: true;
  now?: true;
}

interface CompromiseFlags extends AdminFlags {
  all?: true;
}

interface SignedByFlags extends AdminFlags {
  unused?: true;
  limit?: number;
  cursor?: string;
}

interface AdoptFlags extends AdminFlags {
  id?: string;
  label?: string;
}

export function addSigningKeysCommands(program: Command): void {
  const keys = program
    .command('signing-keys')
    .summary('manage signing keys')
    .description(
      'Manage the keys that sign permits, receipts and audit-log heads. The guide is docs/keys.md.',
    )
    .addHelpText('after', examples('permitry signing-keys rotate'));

  gateCommand(keys, 'list', 'list the signing keys, their states, and where their private keys are kept')
    .addHelpText('after', examples('permitry signing-keys list'))
    .action(list);

  gateCommand(
    keys,
    'rotate',
    'sign with the next key',
    'The old key still verifies. Keys rotate by themselves; use this to rotate earlier. If a key was stolen, use compromise instead.',
  )
    .addOption(new Option('--wait', 'if the next key is too young, wait until it may sign'))
    .addOption(
      new Option('--now', 'sign with it at once; verifiers may refuse permits for some minutes').conflicts(
        'wait',
      ),
    )
    .addHelpText('after', examples('permitry signing-keys rotate', 'permitry signing-keys rotate --wait'))
    .action(rotate);

  gateCommand(
    keys,
    'compromise',
    'mark a stolen key as compromised and count what it signed',
    'The key is no longer accepted, at once. You cannot undo this.',
  )
    .argument('[kid]', 'ID of the key')
    .addOption(
      new Option('--all', 'every key that can sign, active or next: all that were stored in the same place'),
    )
    .addHelpText(
      'after',
      examples('permitry signing-keys compromise KID', 'permitry signing-keys compromise --all'),
    )
    .action(compromise);

  adminCommand(keys, 'signed-by', 'list the receipts and unused permits that compromised keys signed')
    .argument('[kid]', 'only what this key signed, whatever its state')
    .addOption(new Option('--unused', 'only approvals whose permit is unused'))
    .option(
      '--limit <n>',
      'at most this many; the output ends with the cursor for the rest',
      wholeNumber(1, 200),
    )
    .addOption(new Option('--cursor <cursor>', 'continue where an earlier output ended'))
    .addHelpText('after', examples('permitry signing-keys signed-by --json > signed.json'))
    .action(signedBy);

  gateCommand(keys, 'encrypt', 'encrypt every private key under the current key-encryption key')
    .addHelpText('after', examples('permitry signing-keys encrypt'))
    .action(encrypt);

  gateCommand(keys, 'adopt', 'adopt a key that was created in the PKCS#11 token as the next key')
    .addOption(new Option('--id <hex>', 'its CKA_ID'))
    .addOption(new Option('--label <label>', 'its CKA_LABEL'))
    .addHelpText('after', examples('permitry signing-keys adopt --label permitry-2027'))
    .action(adopt);
}

const SIGNED = '/signing-keys/receipts';

const USE = {
  next: 'verifies, signs next',
  active: 'signs and verifies',
  retired: 'verifies',
  compromised: 'compromised',
} as const;

async function list(flags: AdminFlags): Promise<void> {
  const keys = await withGate(flags, async ({ signer }) =>
    signer.keys().map((key) => ({
      kid: key.kid,
      alg: 'ES256',
      state: key.state,
      signs: key.kid === signer.current.kid,
      kept_in: signer.keptIn(key.kid),
      created_at: key.createdAt,
      activated_at: key.activatedAt,
      retired_at: key.retiredAt,
      compromised_at: key.compromisedAt,
    })),
  );
  if (flags.json) return printJson(keys);
  printTable(
    keys,
    [
      { title: 'KID', text: ({ kid }) => kid },
      { title: 'USE', text: ({ state }) => USE[state] },
      { title: 'PRIVATE KEY', text: ({ kept_in: kept }) => kept ?? '-' },
      {
        title: 'SINCE',
        text: (key) => shortTime(key.compromised_at ?? key.retired_at ?? key.activated_at ?? key.created_at),
      },
    ],
    'There are no signing keys.',
  );
}

async function rotate(flags: RotateFlags): Promise<void> {
  const kids = await withGate(flags, async ({ signer, recordKeyChanges }, { NextKeyTooYoungError }) => {
    const before = signer.current.kid;
    const kid = await rotateWhenReady(signer, flags, NextKeyTooYoungError);
    await recordKeyChanges();
    return { kid, previous_kid: before };
  });
  if (flags.json) return printJson(kids);
  process.stdout.write(
    `${kids.kid} signs now. A running server follows within seconds. ${kids.previous_kid} still verifies.\n`,
  );
}

async function rotateWhenReady(
  signer: OpenGate['signer'],
  { wait, now }: RotateFlags,
  NextKeyTooYoungError: typeof import('@permitry/server').NextKeyTooYoungError,
): Promise<string> {
  for (;;) {
    try {
      return await signer.rotate('operator', { early: now === true });
    } catch (error) {
      if (!(error instanceof NextKeyTooYoungError)) throw error;
      if (!wait) {
        throw refused(
          `${error.message} Pass --wait to wait for it. If the key was stolen, run: permitry signing-keys compromise`,
          'conflict',
          error,
        );
      }
      process.stderr.write(`permitry: waiting until ${fullTime(error.readyAt, process.stderr)}\n`);
      await setTimeout(Math.max(1000, Date.parse(error.readyAt) - Date.now()));
    }
  }
}

async function compromise(kid: string | undefined, flags: CompromiseFlags): Promise<void> {
  if ((kid === undefined) !== (flags.all === true)) {
    throw usage('Name one key, or pass --all. See: permitry signing-keys list');
  }
  const answer = await withGate(flags, async ({ gate, signer, recordKeyChanges }, { listProjects }) => {
    const withdrawn = await signer.markCompromised(kid === undefined ? undefined : [kid]);
    await recordKeyChanges();
    const projects = await listProjects(gate, OPERATOR);
    return {
      compromised: withdrawn,
      kid: signer.current.kid,
      projects: await atOwn(gate, async (at) => {
        const counts = [];
        for (const project of projects) counts.push(await countSigned(at(project), withdrawn));
        return counts;
      }),
      complaints: signer.complaints(),
    };
  });
  if (flags.json) return printJson(answer);
  const sum = (which: 'receipts' | 'unused_permits') =>
    answer.projects.reduce((total, project) => total + project[which], 0);
  process.stdout.write(
    [
      ...answer.compromised.map(
        (one) => `${one} is compromised: no longer published, and no longer accepted.`,
      ),
      `${answer.kid} signs now. A running server follows within seconds.`,
      '',
      `Signed with ${answer.compromised.length === 1 ? 'it' : 'them'}: ${counted(sum('receipts'), 'receipt')}, now revoked, and ${counted(sum('unused_permits'), 'unused permit')}, now refused (unknown_key).`,
      ...answer.compromised.map((one) => `List them with: permitry signing-keys signed-by ${one}`),
      '',
      'Next steps (docs/keys.md):',
      '  - Executors that verify offline accept it until their copy of the key set is 5 minutes old. Refresh their copies.',
      '  - Requesters fetch a fresh permit: POST /v1/intents/<intent_id>/permit. Nobody has to approve again.',
      '  - Anyone who relied on such a receipt can ask the gate, or check the audit log, whose head the new key signs.',
      '  - If the thief could read the directory, every key in it is stolen. Run: permitry signing-keys compromise --all',
      ...answer.complaints.map((complaint) => `  - ${complaint}`),
      '',
    ].join('\n'),
  );
}

async function countSigned(at: AtOwnProject, kids: readonly string[]) {
  const signed: Signed[] = [];
  for (const kid of kids) signed.push(...(await at.list<Signed>(SIGNED, { kid })));
  return {
    project_id: at.project.id,
    name: at.project.name,
    receipts: signed.filter(({ receipt }) => receipt !== null).length,
    unused_permits: signed.filter(({ unused_permit: permit }) => permit !== null).length,
  };
}

async function signedBy(kid: string | undefined, flags: SignedByFlags): Promise<void> {
  const { limit, cursor } = flags;
  const { data, next_cursor } = await atProject(flags, async ({ ask, list }) => {
    if (limit === undefined && cursor === undefined)
      return { data: await list<Signed>(SIGNED, { kid }), next_cursor: null };
    return ask<{ data: Signed[]; next_cursor: string | null }>('GET', SIGNED, {
      query: { kid, limit, cursor },
    });
  });
  const rows = data.filter(({ unused_permit: permit }) => !flags.unused || permit !== null);
  if (flags.json) return printJson({ count: rows.length, data: rows, next_cursor });
  printTable(
    rows,
    [
      { title: 'REQUEST', text: ({ intent_id: id }) => id },
      { title: 'ACTION', text: ({ action }) => action, shrinks: true },
      { title: 'APPROVED', text: ({ approved_at: at }) => shortTime(at) },
      { title: 'RECEIPT', text: ({ receipt }) => receipt?.receipt_id ?? '-' },
      { title: 'STATUS', text: ({ receipt }) => receipt?.revocation_status ?? '-' },
      { title: 'UNUSED PERMIT', text: ({ unused_permit: permit }) => permit?.id ?? '-' },
    ],
    `No ${flags.unused ? 'unused permits' : 'approvals'} in this project were signed with ${kid ?? 'a compromised key'}.`,
  );
  if (rows.length > 0) process.stderr.write(`${counted(rows.length, 'approval')}.\n`);
  if (next_cursor !== null)
    process.stderr.write(`There may be more. Continue with: --cursor ${next_cursor}\n`);
}

async function encrypt(flags: AdminFlags): Promise<void> {
  const { kids, complaints } = await withGate(flags, async ({ signer }) => {
    if (!signer.encrypts) {
      throw usage(
        'There is no key-encryption key. Set PERMITRY_KEY_ENCRYPTION_KEY or PERMITRY_KEY_ENCRYPTION_KEY_FILE.',
      );
    }
    return { kids: await signer.encrypt(), complaints: signer.complaints() };
  });
  if (flags.json) return printJson({ encrypted: kids });
  for (const kid of kids)
    process.stdout.write(`${kid} is now encrypted under the current key-encryption key.\n`);
  if (kids.length === 0)
    process.stdout.write('Every private key is already encrypted under the current key-encryption key.\n');
  else
    process.stderr.write(
      'A running server needs the key-encryption key as well. Restart it with the same setting.\n',
    );
  for (const complaint of complaints) process.stderr.write(`permitry: warning: ${complaint}\n`);
}

async function adopt(flags: AdoptFlags): Promise<void> {
  const { id, label } = flags;
  if (id === undefined && label === undefined) throw usage('Name the key with --id or --label.');
  const kid = await withGate(flags, ({ signer }) =>
    signer.adopt({ ...(id === undefined ? {} : { id }), ...(label === undefined ? {} : { label }) }),
  );
  if (flags.json) return printJson({ kid });
  process.stdout.write(
    `${kid} is published as a next key. It signs after the keys that were already next.\n`,
  );
}
