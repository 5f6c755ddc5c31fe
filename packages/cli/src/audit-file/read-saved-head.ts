import { readFileSync } from 'node:fs';
import { type AuditHead, isSha256Hash } from '@permitry/protocol';
import { usage } from '../command-failure.ts';

const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const POSITION = /^(\d{1,15}):(sha256:[0-9a-f]{64})$/;

/**
 * A head kept from earlier, in any form that `--since` takes. It may be SEQ:HASH or a signed head (JWS), or a file with
 * either. It may also be an earlier export, or the answer of `GET …/audit/verify`. Throws `CommandFailure`.
 */
export function readSavedHead(text: string): string | AuditHead {
  const head = parseHead(text) ?? parseHead(readHeadFile(text));
  if (head !== undefined) return head;
  throw usage('--since must be SEQ:HASH as audit verify prints it, a signed head, or a file that holds one.');
}

function parseHead(text: string): string | AuditHead | undefined {
  const trimmed = text.trim();
  const [, seq, hash] = POSITION.exec(trimmed) ?? [];
  if (seq !== undefined && isSha256Hash(hash)) return { seq: Number(seq), hash };
  return JWS.test(trimmed) ? trimmed : undefined;
}

function readHeadFile(path: string): string {
  const text = readText(path);
  const json = parseJson(text) ?? parseJson(text.slice(0, text.indexOf('\n') + 1));
  return json === undefined ? text : (headIn(json) ?? '');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw usage(`--since ${path} is neither a head nor a readable file.`, cause);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `{ head: JWS }` of an export, `{ part: { through } }` of a part, `{ head: { jws } }` of the gate's answer, or `{ jws }`. */
function headIn(json: unknown): string | undefined {
  const head = propertyOf(json, 'head') ?? propertyOf(propertyOf(json, 'part'), 'through') ?? json;
  const jws = typeof head === 'string' ? head : propertyOf(head, 'jws');
  if (typeof jws === 'string') return jws;
  const [seq, hash] = [propertyOf(head, 'seq'), propertyOf(head, 'hash')];
  return seq === undefined ? undefined : `${seq}:${hash}`;
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
