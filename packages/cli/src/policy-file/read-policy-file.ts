/** Owns policy files: reads YAML or JSON, and returns a document with the position of every member. */
import { isExactly, type JsonObject, parseStrictJson, StrictJsonError } from '@permitry/protocol';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { usage } from '../command-failure.ts';
import { readInput } from '../input/read-input.ts';
import { positionOf, type Source, type TextPosition } from './position-of.ts';

/** A problem and its position in the file: line and column from 1. */
export interface FileProblem extends TextPosition {
  /** JSON Pointer into the document. */
  path: string;
  message: string;
}

export type PolicyFile =
  | { ok: true; document: JsonObject; locate(path: string, message: string): FileProblem }
  | { ok: false; problems: readonly FileProblem[] };

const MOST_ALIASES = 100;
/** Excludes YAML's hexadecimal and octal numbers, and `.inf`. */
const DECIMAL = /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i;

/** Throws `CommandFailure` for a file that cannot be read. Returns problems of the content. */
export async function readPolicyFile(path: string): Promise<PolicyFile> {
  const text = await readText(path);
  const lines = new LineCounter();
  const parsed = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: '1.2',
    schema: 'core',
  });
  const problems = [...parsed.errors, ...parsed.warnings].map(({ message, pos: [start] }) => ({
    path: '',
    message: message.replace(/\.?$/, '.'),
    ...toTextPosition(lines, start),
  }));
  problems.push(...numbersWithLostDigits(parsed, lines));
  if (problems.length > 0) return { ok: false, problems };

  const source: Source = { text, document: parsed, positionAt: (offset) => toTextPosition(lines, offset) };
  const locate = (pointer: string, message: string): FileProblem => ({
    path: pointer,
    ...positionOf(source, pointer, message),
  });
  const document = toJsonDocument(parsed, locate);
  return 'problem' in document
    ? { ok: false, problems: [document.problem] }
    : { ok: true, ...document, locate };
}

/** YAML numbers are read as doubles. The gate could not notice that the file has more digits. */
function numbersWithLostDigits(parsed: Document, lines: LineCounter): FileProblem[] {
  const problems: FileProblem[] = [];
  visit(parsed, {
    Scalar(_key, { value, source, range }) {
      if (typeof value !== 'number' || source === undefined || !DECIMAL.test(source)) return;
      if (isExactly(source, value)) return;
      const message = 'A number has more digits than a double can hold. Round it.';
      problems.push({ path: '', message, ...toTextPosition(lines, range?.[0] ?? 0) });
    },
  });
  return problems;
}

async function readText(path: string): Promise<string> {
  const bytes = await readInput(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw usage(`${path} is not UTF-8 text. Pass a policy in YAML or JSON.`, cause);
  }
}

/** The value as it would be sent to the gate, checked as strictly. */
function toJsonDocument(
  parsed: Document,
  locate: (path: string, message: string) => FileProblem,
): { document: JsonObject } | { problem: FileProblem } {
  try {
    const value = parsed.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
    const document = parseStrictJson(new TextEncoder().encode(JSON.stringify(value ?? null)));
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { document };
    return { problem: locate('', 'A policy must be an object with name, default and rules.') };
  } catch (error) {
    if (error instanceof StrictJsonError) return { problem: locate(error.path, withoutByte(error.message)) };
    if (error instanceof ReferenceError) return { problem: locate('', `${error.message}.`) };
    throw error;
  }
}

/** Removes byte positions: they belong to the JSON made from the file, and people do not see that JSON. */
function withoutByte(message: string): string {
  return message.replace(/ \(at byte \d+.*\)\.$/, '.');
}

function toTextPosition(lines: LineCounter, offset: number): TextPosition {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
