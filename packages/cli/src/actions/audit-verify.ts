import { open } from 'node:fs/promises';
import {
  type AuditExportVerification,
  type AuditHead,
  type BadExportRecord,
  verifyAuditExport,
} from '@permitry/protocol';
import { countLines } from '../audit-file/count-lines.ts';
import { readJwks } from '../audit-file/read-jwks.ts';
import { readLines } from '../audit-file/read-lines.ts';
import { readSavedHead } from '../audit-file/read-saved-head.ts';
import { CommandFailure } from '../command-failure.ts';
import { counted } from '../printing/counted.ts';
import { paint } from '../printing/paint.ts';
import { printJson } from '../printing/print-json.ts';

export interface VerifyFlags {
  since?: string;
  jwks?: string;
  json?: true;
}

export async function verify(file: string, flags: VerifyFlags): Promise<void> {
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
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isDirectory()) throw new Error('is a directory');
    return handle.createReadStream({ highWaterMark: 256 * 1024 });
  } catch (cause) {
    throw new CommandFailure(2, `${file} cannot be read; give the file that permitry audit export wrote.`, {
      cause,
    });
  }
}

function toPraise(
  file: string,
  { count, head, projectId, issuer, headSignedBy, after }: AuditExportVerification,
  flags: VerifyFlags,
): string {
  const signer =
    headSignedBy === 'given_keys'
      ? 'signed by a key of --jwks'
      : headSignedBy === null
        ? `not signed: the log ${after === null ? 'is empty' : 'goes on; verify the next part with --since this head'}`
        : 'signed by a key the file itself brings; --jwks with a saved one also rules out a forged file';
  const since =
    flags.since === undefined
      ? 'Keep this head; with --since it shows later that nothing was cut off or rewritten.\n'
      : 'The history goes on from the head of --since.\n';
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
      ? '\n        --since the head of the part before shows that nothing between is missing'
      : '';
  return `  part  begins in the middle, after ${seq}:${hash}${before}\n`;
}

function toVerdict(file: string, { count, head }: AuditExportVerification, bad: BadExportRecord): string {
  const where = [
    `line ${bad.line}`,
    ...(bad.seq === null ? [] : [`seq ${bad.seq}`]),
    ...(bad.id === null ? [] : [bad.id]),
  ];
  const sound = count === 0 ? '' : `  Sound up to ${head.seq}:${head.hash}\n`;
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
