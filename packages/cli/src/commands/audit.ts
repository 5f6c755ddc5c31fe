import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import {
  type AuditExportVerification,
  type AuditHead,
  type BadExportRecord,
  verifyAuditExport,
} from '@permitry/protocol';
import type { Command } from 'commander';
import { atProject } from '../at-project.ts';
import { countLines } from '../audit-file/count-lines.ts';
import { readJwks } from '../audit-file/read-jwks.ts';
import { readLines } from '../audit-file/read-lines.ts';
import { readSavedHead } from '../audit-file/read-saved-head.ts';
import { usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples, jsonOption } from '../command-options.ts';
import { OPERATOR } from '../open-gate.ts';
import { printJson } from '../printing/print.ts';
import { createProgressLine } from '../printing/progress-line.ts';
import { counted, paint, sayVisibly, withoutOdd } from '../printing/say.ts';

export function addAuditCommands(program: Command): void {
  const audit = program
    .command('audit')
    .summary('export and verify the audit log')
    .description('Export the audit log, and verify an export offline.')
    .addHelpText('after', examples('permitry audit export --out audit.jsonl'));

  adminCommand(
    audit,
    'export',
    'export the audit log of a project, or a part of it, as JSON Lines',
    'Keep exports away from the gate: they show later whether its log was rewritten.',
  )
    .option('--out <file>', 'the file to write: mode 0600, replaced only when complete (default: stdout)')
    .option('--from <seq|time>', 'start at this record or time (ISO 8601), included')
    .option('--to <seq|time>', 'end before this record or time')
    .addHelpText(
      'after',
      examples(
        'permitry audit export --out audit.jsonl',
        'permitry audit export --from 2026-10-01 --to 2026-11-01 --out october.jsonl',
      ),
    )
    .action(writeExport);

  audit
    .command('verify')
    .summary('verify an export offline')
    .description(
      'Verify an export of the audit log offline: every record, its place in the chain and the signed head. Exit code 0 if everything is valid; 1 otherwise, with the first bad record.',
    )
    .argument('<file>', 'an export written by permitry audit export; - for stdin')
    .option(
      '--since <head>',
      'a head kept from earlier: SEQ:HASH, a signed head, a file with one, or an older export',
    )
    .option('--jwks <file>', "the gate's keys, saved from /.well-known/jwks.json")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'permitry audit verify audit.jsonl',
        'permitry audit verify audit.jsonl --since last-week.jsonl --jwks jwks.json',
      ),
    )
    .action(verify);
}

type ExportFlags = AdminFlags & { out?: string; from?: string; to?: string };

async function writeExport({ out, from, to, ...flags }: ExportFlags): Promise<void> {
  const { exportAudit } = await import('@permitry/server');
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  await atProject(flags, async ({ gate, project }) => {
    // Calls the operation directly, because the API path does not say why an export fails halfway.
    const pieces = inPieces(await exportAudit(gate, OPERATOR, project.id, range));
    if (out === undefined) return print(pieces);
    const records = await writeFile(out, pieces);
    if (flags.json) return printJson({ project_id: project.id, records, file: out });
    process.stdout.write(
      `Wrote ${counted(records, 'record')} to ${sayVisibly(out)}.\nVerify them with: permitry audit verify ${sayVisibly(out)}\n`,
    );
  });
}

/** Joins many lines into one piece, because a write costs more than a line. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** Returns the number of records. An export that fails leaves an older file as it was. */
async function writeFile(path: string, pieces: AsyncIterable<string>): Promise<number> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const file = await open(temporary, 'wx', 0o600).catch((cause: unknown) => {
    throw usage(`Cannot write ${path}. Check that its folder exists and that you may write to it.`, cause);
  });
  const progress = createProgressLine();
  try {
    let lines = 0;
    for await (const piece of pieces) {
      await file.appendFile(piece);
      lines += piece.split('\n').length - 1;
      progress.show(() => `exported ${lines.toLocaleString('en')} lines …`);
    }
    await file.sync();
    await file.close();
    await rename(temporary, path);
    // The first line is the header.
    return lines - 1;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  } finally {
    progress.clear();
  }
}

async function print(pieces: AsyncIterable<string>): Promise<void> {
  const { isTTY } = process.stdout;
  for await (const piece of pieces) {
    // A terminal would obey control characters. A file or a program gets every byte.
    if (!process.stdout.write(isTTY ? withoutOdd(piece) : piece)) await once(process.stdout, 'drain');
  }
}

interface VerifyFlags {
  since?: string;
  jwks?: string;
  json?: true;
}

async function verify(file: string, flags: VerifyFlags): Promise<void> {
  const expected = {
    sinceHead: flags.since === undefined ? undefined : readSavedHead(flags.since),
    jwks: flags.jwks === undefined ? undefined : readJwks(flags.jwks),
  };
  const lines = readLines(await openFile(file));
  const result = await verifyAuditExport(flags.json ? lines : countLines(lines, 'verified'), expected);
  if (flags.json) printJson(toJson(result));
  else
    process.stdout.write(
      result.firstBad ? toVerdict(file, result, result.firstBad) : toPraise(file, result, flags),
    );
  if (!result.valid) process.exitCode = 1;
}

async function openFile(file: string): Promise<AsyncIterable<Buffer>> {
  if (file === '-') return process.stdin;
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    if ((await handle.stat()).isDirectory()) throw new Error('is a directory');
    return handle.createReadStream({ highWaterMark: 256 * 1024 });
  } catch (cause) {
    await handle?.close();
    throw usage(`Cannot read ${file}. Name a file that permitry audit export wrote.`, cause);
  }
}

function toPraise(
  file: string,
  { count, head, projectId, issuer, headSignedBy, after }: AuditExportVerification,
  flags: VerifyFlags,
): string {
  const signer =
    headSignedBy === 'given_keys'
      ? 'signed with a key from --jwks'
      : headSignedBy === null
        ? `not signed: the log ${after === null ? 'is empty' : 'goes on; verify the next part with this head as --since'}`
        : 'signed with a key from the file itself; pass saved keys with --jwks to rule out a forged file';
  const since =
    flags.since === undefined
      ? 'Keep this head. Passed as --since later, it shows whether records were removed or rewritten.\n'
      : 'The log continues from the head in --since.\n';
  return `${paint('green', 'valid')}  ${file}: ${counted(count, 'record')} of ${projectId}
  gate  ${issuer}
${after === null ? '' : beginning(after, flags)}  head  ${head.seq}:${head.hash}
        ${signer}
${since}`;
}

function beginning({ seq, hash }: AuditHead, { since }: VerifyFlags): string {
  if (seq === 0) return '';
  const before =
    since === undefined
      ? '\n        pass the head of the previous part as --since to check that no records are missing'
      : '';
  return `  part  begins in the middle, after ${seq}:${hash}${before}\n`;
}

function toVerdict(file: string, { count, head }: AuditExportVerification, bad: BadExportRecord): string {
  const where = [
    `line ${bad.line}`,
    ...(bad.seq === null ? [] : [`seq ${bad.seq}`]),
    ...(bad.id === null ? [] : [bad.id]),
  ];
  const sound = count === 0 ? '' : `  Valid up to ${head.seq}:${head.hash}\n`;
  return `${paint('red', 'INVALID')}  ${file}: ${where.join(', ')}: ${bad.problem}
  ${bad.message}
${sound}`;
}

function toJson(verification: AuditExportVerification) {
  const { valid, count, projectId, issuer, after, head, headSignedBy, firstBad } = verification;
  return {
    valid,
    count,
    project_id: projectId,
    issuer,
    after,
    head: head.hash === '' ? null : head,
    head_signed_by: headSignedBy,
    ...(firstBad === undefined ? {} : { first_bad: firstBad }),
  };
}
