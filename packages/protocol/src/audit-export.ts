/**
 * The file that `permitry audit export` writes as JSON Lines: a header, then one record a line, from seq 1 up to the
 * signed head. The header of a partial export holds the hash before its first record, and the signed head only if the
 * part leads up to it.
 *
 * The file contains everything needed to verify it, but nothing that makes it trustworthy. For that, pass keys and a
 * head from elsewhere (`jwks`, `sinceHead`): a forger of the whole file cannot supply them.
 */
import {
  type AuditChainVerifier,
  type AuditHead,
  type AuditVerification,
  type BadRecord,
  createAuditChainVerifier,
  toVerification,
} from './audit-chain.ts';
import { verifyAuditHead } from './audit-head.ts';
import { AUDIT_FORMAT } from './audit-record.ts';
import { isSha256Hash } from './hashes.ts';
import { isId } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import {
  hasExactly,
  isCount,
  isInstant,
  isObject,
  isOneOf,
  isShortText,
  type PropertyChecks,
} from './properties.ts';
import type { PublicJwk, PublicJwks } from './public-jwk.ts';
import { parseStrictJson } from './strict-json.ts';

/** The first line of an export. */
export interface AuditExportHeader {
  format: typeof AUDIT_FORMAT;
  project_id: string;
  /** base_url of the gate. */
  issuer: string;
  exported_at: string;
  /** The gate's keys at the time. */
  jwks: PublicJwks;
  /** The signed head of the chain, at the last record of the file. Null when the chain is empty or continues. */
  head: string | null;
  /** Present when the file holds only a part of the chain. */
  part?: AuditExportPart;
}

/** Where a part begins and ends. The two places are equal when the part holds no record. */
export interface AuditExportPart {
  /** The record before the part's first record. If there is none: seq 0 and the genesis hash. */
  after: AuditHead;
  /** The last record. */
  through: AuditHead;
}

/** The first problem found, with its line number from 1. */
export interface BadExportRecord extends BadRecord {
  line: number;
}

export interface AuditExportVerification extends AuditVerification<BadExportRecord> {
  /** Null when the header could not be read. */
  projectId: string | null;
  issuer: string | null;
  /**
   * Who vouches for the end of the chain. `given_keys`: the head is signed with keys that the caller passed.
   * `keys_of_the_file`: it is signed with the file's own keys, which reveals an accident but not a forger. Null: nobody vouches
   * for the end.
   */
  headSignedBy: 'given_keys' | 'keys_of_the_file' | null;
  /** The record before the file's first one, if the file says that it is a part of the chain. */
  after: AuditHead | null;
}

export interface AuditExportExpectation {
  /** A head saved earlier: its JWS, or its place and hash. */
  sinceHead?: string | AuditHead | undefined;
  /** The gate's keys, saved earlier. Default: those in the file. */
  jwks?: PublicJwks | undefined;
}

const HEADER_CHECKS: PropertyChecks<Omit<AuditExportHeader, 'part'>> = {
  format: (value) => value === AUDIT_FORMAT,
  project_id: (value) => isId('prj', value),
  issuer: isShortText,
  exported_at: isInstant,
  jwks: (value) => isObject(value) && Array.isArray(value.keys) && value.keys.every(isPublicJwk),
  head: (value) => value === null || isShortText(value),
};

const POSITION_CHECKS: PropertyChecks<AuditHead> = { seq: isCount, hash: isSha256Hash };

const PART_CHECKS: PropertyChecks<AuditExportPart> = {
  after: (value) => hasExactly(value, POSITION_CHECKS),
  through: (value) => hasExactly(value, POSITION_CHECKS),
};

function isHeader(value: JsonValue): value is JsonObject & AuditExportHeader {
  if (!isObject(value)) return false;
  const { part, ...whole } = value;
  return hasExactly(whole, HEADER_CHECKS) && (part === undefined || hasExactly(part, PART_CHECKS));
}

function isPublicJwk(value: unknown): boolean {
  return hasExactly<PublicJwk>(value, {
    kty: isOneOf(['EC']),
    crv: isOneOf(['P-256']),
    x: isShortText,
    y: isShortText,
    kid: isShortText,
    alg: isOneOf(['ES256']),
    use: isOneOf(['sig']),
  });
}

const encoder = new TextEncoder();

/**
 * Verifies an export line by line, without the gate, and names the first bad record and its line.
 *
 * @param lines without their line ends; empty ones are allowed at the end only.
 * @throws only what iterating `lines` throws; no content makes it throw.
 * @example
 * // Split at LF alone: node:readline splits at U+2028 too, which a record may contain.
 * const lines = (await readFile(file, 'utf8')).split('\n');
 * const result = await verifyAuditExport(lines, { sinceHead: savedHead, jwks: savedKeys });
 */
export async function verifyAuditExport(
  lines: AsyncIterable<string> | Iterable<string>,
  expected: AuditExportExpectation = {},
): Promise<AuditExportVerification> {
  let opened: OpenedExport | undefined;
  let line = 0;
  let emptyLine = 0;
  for await (const text of lines) {
    line += 1;
    if (text === '') {
      emptyLine ||= line;
      continue;
    }
    if (emptyLine > 0) return refuse(opened, malformedLine('is empty'), emptyLine);
    const value = parseLine(text);
    if (value === undefined) return refuse(opened, malformedLine('is not strict JSON'), line);
    if (opened === undefined) {
      const result = await openExport(value, expected);
      if ('problem' in result) return refuse(undefined, result, line);
      opened = result;
      const badStart = opened.verifier.begin();
      if (badStart !== undefined) return refuse(opened, badStart, line);
    } else {
      const firstBad = opened.verifier.add(value) ?? beyondEnd(opened);
      if (firstBad !== undefined) return refuse(opened, firstBad, line);
    }
  }
  if (opened === undefined)
    return refuse(undefined, malformedLine('should be the header of an audit export'), 1);
  const missing = opened.verifier.end();
  if (missing !== undefined) return refuse(opened, missing, line + 1);
  return { ...toVerification<BadExportRecord>(opened.verifier, undefined), ...origin(opened) };
}

interface OpenedExport {
  header: AuditExportHeader;
  verifier: AuditChainVerifier;
  /** The seq of the last record, according to the header. */
  endSeq: number;
  headSignedBy: AuditExportVerification['headSignedBy'];
}

async function openExport(
  value: JsonValue,
  expected: AuditExportExpectation,
): Promise<OpenedExport | BadRecord> {
  if (!isHeader(value)) return malformedLine('is not the header of an audit export');
  const header = value;
  const { project_id: projectId, part } = header;
  const jwks = expected.jwks ?? header.jwks;
  const heads: AuditHead[] = [];
  if (header.head !== null) {
    const signed = await readHead(header.head, projectId, jwks);
    if (signed === undefined) return headInvalid('The head of the file');
    heads.push(signed);
  }
  if (part !== undefined) heads.push(part.through);
  // The signed head is the first of the list and so the end, because nobody vouches for what the header claims.
  const [end] = heads;
  if (expected.sinceHead !== undefined) {
    const saved = await readHead(expected.sinceHead, projectId, jwks);
    if (saved === undefined) return headInvalid('The saved head');
    heads.push(saved);
  }
  const signer = expected.jwks === undefined ? 'keys_of_the_file' : 'given_keys';
  return {
    header,
    verifier: createAuditChainVerifier(projectId, heads, part?.after),
    endSeq: end?.seq ?? 0,
    headSignedBy: header.head === null ? null : signer,
  };
}

async function readHead(
  head: string | AuditHead,
  projectId: string,
  jwks: PublicJwks,
): Promise<AuditHead | undefined> {
  if (typeof head !== 'string') return isSha256Hash(head.hash) && isCount(head.seq) ? head : undefined;
  const verified = await verifyAuditHead(head, { jwks });
  if (!verified.ok || verified.claims.project !== projectId) return undefined;
  return verified.claims;
}

function parseLine(text: string): JsonValue | undefined {
  try {
    return parseStrictJson(encoder.encode(text));
  } catch {
    return undefined;
  }
}

/** No one vouches for records after the signed head, so an export ends there. A part ends where its header says. */
function beyondEnd({ verifier, endSeq }: OpenedExport): BadRecord | undefined {
  const { seq } = verifier.head;
  if (seq <= endSeq) return undefined;
  const message = `Record ${seq} comes after record ${endSeq}, the end that the header of the file names.`;
  return { seq, id: null, problem: 'beyond_head', message };
}

function headInvalid(which: string): BadRecord {
  const message = `${which} is not signed by a known key for this project.`;
  return { seq: null, id: null, problem: 'head_invalid', message };
}

function malformedLine(what: string): BadRecord {
  return { seq: null, id: null, problem: 'malformed_line', message: `The line ${what}.` };
}

function refuse(opened: OpenedExport | undefined, bad: BadRecord, line: number): AuditExportVerification {
  const firstBad = { ...bad, line };
  if (opened !== undefined) return { ...toVerification(opened.verifier, firstBad), ...origin(opened) };
  return {
    valid: false,
    count: 0,
    head: { seq: 0, hash: '' },
    firstBad,
    projectId: null,
    issuer: null,
    headSignedBy: null,
    after: null,
  };
}

function origin({
  header,
  headSignedBy,
}: OpenedExport): Pick<AuditExportVerification, 'projectId' | 'issuer' | 'headSignedBy' | 'after'> {
  return {
    projectId: header.project_id,
    issuer: header.issuer,
    headSignedBy,
    after: header.part?.after ?? null,
  };
}
