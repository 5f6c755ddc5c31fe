import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { exportAudit } from '@permitry/server';
import { countLines } from '../audit-file/count-lines.ts';
import { CommandFailure } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { counted } from '../printing/counted.ts';
import { withoutOdd } from '../printing/inert-json.ts';
import { printJson } from '../printing/print-json.ts';
import { sayVisibly } from '../printing/say-visibly.ts';

export type ExportFlags = AdminFlags & { out?: string; from?: string; to?: string };

export async function writeExport(flags: ExportFlags): Promise<void> {
  const { out, from, to } = flags;
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const written = await withGate(flags, async (gate) => {
    const { id } = await findProject(gate, flags.project);
    const lines = await exportAudit(gate, OPERATOR, id, range);
    if (out !== undefined) return { project_id: id, records: await writeFile(out, lines) };
    await print(lines);
    return undefined;
  });
  if (out === undefined || written === undefined) return;
  if (flags.json) return printJson({ ...written, file: out });
  process.stdout.write(
    `Wrote ${counted(written.records, 'record')} to ${sayVisibly(out)}.\nVerify them with: permitry audit verify ${sayVisibly(out)}\n`,
  );
}

/** Answers the number of records. An export that fails leaves an older one as it was. */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<number> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const file = await open(temporary, 'wx', 0o600).catch((cause: unknown) => {
    throw new CommandFailure(2, `${path} cannot be written; is there its folder, and is it yours?`, {
      cause,
    });
  });
  try {
    const count = await writeLines(file, countLines(lines, 'exported'));
    await file.sync();
    await file.close();
    await rename(temporary, path);
    // The first line is the header.
    return count - 1;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeLines(file: FileHandle, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  const counted = async function* () {
    for await (const line of lines) {
      count += 1;
      yield line;
    }
  };
  for await (const piece of withLineEnds(counted())) await file.appendFile(piece);
  return count;
}

async function print(lines: AsyncIterable<string>): Promise<void> {
  const { isTTY } = process.stdout;
  for await (const piece of withLineEnds(lines)) {
    // A terminal would do what a text says; a file or a program gets every byte.
    if (!process.stdout.write(isTTY ? withoutOdd(piece) : piece)) await once(process.stdout, 'drain');
  }
}

/** Many lines in one piece: a write costs more than a line. */
async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
