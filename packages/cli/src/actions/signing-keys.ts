import { setTimeout } from 'node:timers/promises';
import {
  type GateParts,
  listProjects,
  listSignedBy,
  NextKeyTooYoungError,
  type OpenGate,
  type SignedApproval,
  toWireSigned,
} from '@permitry/server';
import { allPages } from '../all-pages.ts';
import { CommandFailure } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import type { AdoptFlags, CompromiseFlags, RotateFlags, SignedByFlags } from '../commands/signing-keys.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { counted } from '../printing/counted.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';

const USE = {
  next: 'verifies, signs next',
  active: 'signs and verifies',
  retired: 'verifies',
  compromised: 'withdrawn',
} as const;

export async function list(flags: AdminFlags): Promise<void> {
  const keys = await withGate(flags, async (_, signer) =>
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
      { title: 'PRIVATE PART', text: ({ kept_in: kept }) => kept ?? '-' },
      {
        title: 'SINCE',
        text: (key) => shortTime(key.compromised_at ?? key.retired_at ?? key.activated_at ?? key.created_at),
      },
    ],
    'There are no keys.',
  );
}

export async function rotate(flags: RotateFlags): Promise<void> {
  const kids = await withGate(flags, async (_, signer, opened) => {
    const before = signer.current.kid;
    const kid = await rotateWhenReady(signer, flags);
    await opened.recordKeyChanges();
    return { kid, previous_kid: before };
  });
  if (flags.json) return printJson(kids);
  process.stdout.write(
    `${kids.kid} signs now; a running server follows within seconds. ${kids.previous_kid} still verifies.\n`,
  );
}

async function rotateWhenReady(signer: OpenGate['signer'], { wait, now }: RotateFlags): Promise<string> {
  for (;;) {
    try {
      return await signer.rotate('operator', { early: now === true });
    } catch (error) {
      if (!(error instanceof NextKeyTooYoungError)) throw error;
      if (!wait) {
        throw new CommandFailure(
          1,
          `${error.message} Use --wait to wait for it. For a key that was stolen: permitry signing-keys compromise`,
          { cause: error, code: 'conflict' },
        );
      }
      process.stderr.write(`permitry: waiting until ${error.readyAt}\n`);
      await setTimeout(Math.max(1000, Date.parse(error.readyAt) - Date.now()));
    }
  }
}

export async function compromise(kid: string | undefined, flags: CompromiseFlags): Promise<void> {
  if ((kid === undefined) !== (flags.all === true)) {
    throw new CommandFailure(2, 'Name one key, or say --all instead; see: permitry signing-keys list');
  }
  const answer = await withGate(flags, async (gate, signer, opened) => {
    const withdrawn = await signer.markCompromised(kid === undefined ? undefined : [kid]);
    await opened.recordKeyChanges();
    return {
      compromised: withdrawn,
      kid: signer.current.kid,
      projects: await countSigned(gate, withdrawn),
      complaints: signer.complaints(),
    };
  });
  if (flags.json) return printJson(answer);
  const sum = (which: 'receipts' | 'unused_permits') =>
    answer.projects.reduce((total, project) => total + project[which], 0);
  process.stdout.write(
    [
      ...answer.compromised.map((one) => `${one} is withdrawn: not published, and not believed any more.`),
      `${answer.kid} signs now; a running server follows within seconds.`,
      '',
      `Signed with ${answer.compromised.length === 1 ? 'it' : 'them'}: ${counted(sum('receipts'), 'receipt')}, now revoked, and ${counted(sum('unused_permits'), 'unused permit')}, now refused (unknown_key).`,
      ...answer.compromised.map((one) => `To name them: permitry signing-keys signed-by ${one}`),
      '',
      'What is left to do (docs/keys.md):',
      '  - Executors that verify offline believe it until their copy of the key set is 5 minutes old: refresh it.',
      '  - Requesters fetch a fresh permit: POST /v1/intents/<intent_id>/permit. Nobody has to approve again.',
      '  - Whoever relied on a receipt asks the gate, or the audit log: what it says stands there, under the new key.',
      '  - Could the thief read the directory? Then every key in it is stolen: permitry signing-keys compromise --all',
      ...answer.complaints.map((complaint) => `  - ${complaint}`),
      '',
    ].join('\n'),
  );
}

async function countSigned(gate: GateParts, kids: readonly string[]) {
  const projects = await listProjects(gate, OPERATOR);
  const counts = [];
  for (const { id, name } of projects) {
    const signed: SignedApproval[] = [];
    for (const kid of kids) signed.push(...(await allSignedBy(gate, id, kid)));
    counts.push({
      project_id: id,
      name,
      receipts: signed.filter(({ receipt }) => receipt !== null).length,
      unused_permits: signed.filter(({ unusedPermit }) => unusedPermit !== null).length,
    });
  }
  return counts;
}

function allSignedBy(gate: GateParts, projectId: string, kid: string | undefined): Promise<SignedApproval[]> {
  const which = kid === undefined ? { projectId } : { projectId, kid };
  return allPages((page) => listSignedBy(gate, OPERATOR, { ...which, ...page }));
}

export async function signedBy(kid: string | undefined, flags: SignedByFlags): Promise<void> {
  const { limit } = flags;
  const found = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    if (limit === undefined && flags.cursor === undefined) {
      return { items: await allSignedBy(gate, projectId, kid), nextCursor: null };
    }
    return listSignedBy(gate, OPERATOR, {
      projectId,
      ...(kid === undefined ? {} : { kid }),
      ...(limit === undefined ? {} : { limit }),
      ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
    });
  });
  const rows = found.items
    .filter(({ unusedPermit }) => !flags.unused || unusedPermit !== null)
    .map(toWireSigned);
  if (flags.json) return printJson({ count: rows.length, data: rows, next_cursor: found.nextCursor });
  printTable(
    rows,
    [
      { title: 'INTENT', text: ({ intent_id: id }) => id },
      { title: 'ACTION', text: ({ action }) => action, shrinks: true },
      { title: 'APPROVED', text: ({ approved_at: at }) => shortTime(at) },
      { title: 'RECEIPT', text: ({ receipt }) => receipt?.receipt_id ?? '-' },
      { title: 'IS', text: ({ receipt }) => receipt?.revocation_status ?? '-' },
      { title: 'UNUSED PERMIT', text: ({ unused_permit: permit }) => permit?.id ?? '-' },
    ],
    `${flags.unused ? 'No unused permit' : 'Nothing'} here was signed with ${kid ?? 'a compromised key'}.`,
  );
  if (rows.length > 0) process.stderr.write(`${counted(rows.length, 'approval')}.\n`);
  if (found.nextCursor !== null) process.stderr.write(`There may be more: --cursor ${found.nextCursor}\n`);
}

export async function encrypt(flags: AdminFlags): Promise<void> {
  const { kids, complaints } = await withGate(flags, async (_, signer) => {
    if (!signer.encrypts) {
      throw new CommandFailure(
        2,
        'There is no key-encryption key; set PERMITRY_KEY_ENCRYPTION_KEY, or PERMITRY_KEY_ENCRYPTION_KEY_FILE',
      );
    }
    return { kids: await signer.encrypt(), complaints: signer.complaints() };
  });
  if (flags.json) return printJson({ encrypted: kids });
  for (const kid of kids) process.stdout.write(`${kid} is encrypted under the key-encryption key of now.\n`);
  if (kids.length === 0) process.stdout.write('Every private part was encrypted under it already.\n');
  else process.stderr.write('A running server needs that key as well: restart it with the same setting.\n');
  for (const complaint of complaints) process.stderr.write(`permitry: warning: ${complaint}\n`);
}

export async function adopt(flags: AdoptFlags): Promise<void> {
  const { id, label } = flags;
  if (id === undefined && label === undefined)
    throw new CommandFailure(2, 'Name the key by --id or --label.');
  const kid = await withGate(flags, (_, signer) =>
    signer.adopt({ ...(id === undefined ? {} : { id }), ...(label === undefined ? {} : { label }) }),
  );
  if (flags.json) return printJson({ kid });
  process.stdout.write(`${kid} is published as a next key; it signs after those that were next before it.\n`);
}
