/**
 * What a project's audit chain is made of, and how it is hashed. Anyone can recompute it from the records alone.
 *
 * - genesis = hash({ format, project }): a chain cannot be passed off as another project's.
 * - event_hash = hash({ project, id, type, occurred_at, actor, intent_id, data, commitments }), where each committed
 *   text counts as null and `commitments` as { pointer: digest }.
 * - hash = hash({ prev_hash, seq, event_hash }).
 * - digest of a committed text = hash({ salt, text }).
 *
 * hash() is "sha256:" and the hex SHA-256 of the canonical JSON (RFC 8785). The four inputs have different member
 * names, so a hash of one kind cannot pass for another.
 */

import { type CanonicalJson, canonicalJson, canonicalString } from './canonical-json.ts';
import { hashCanonical, hashJson, type Sha256Hash } from './hashes.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { pointerSteps } from './json-pointer.ts';

export const ACTOR_TYPES = ['agent', 'key', 'user', 'policy', 'operator', 'system'] as const;

/** Who caused the event. */
export interface AuditActor {
  type: (typeof ACTOR_TYPES)[number];
  id: string;
  display: string | null;
}

/**
 * Represents a text that may hold personal data. The record carries the text beside it. Erasing sets text and salt to
 * null, and the chain still verifies. Without the salt nobody can find the text by guessing.
 */
export interface AuditCommitment {
  digest: string;
  /** At least 128 random bits, base64url; null once erased. */
  salt: string | null;
}

/** The part of a record that its own hash covers. */
export interface AuditEventContent {
  id: string;
  /** An `EventType`. A newer gate may know more types. */
  type: string;
  /** ISO 8601 in UTC with milliseconds. */
  occurred_at: string;
  actor: AuditActor;
  intent_id: string | null;
  data: JsonObject;
  /** Keyed by JSON Pointer into the record: `/actor/display`, or a path below `/data/`. */
  commitments: Readonly<Record<string, AuditCommitment>>;
}

/** One record of the audit log, as answers and exports carry it. */
export interface AuditRecord extends AuditEventContent {
  /** From 1, without gaps. */
  seq: number;
  event_hash: string;
  prev_hash: string;
  hash: string;
}

/** Names the format in the genesis hash and in the export's first line. */
export const AUDIT_FORMAT = 'permitry-audit/1';

/** Pointer to the actor’s display name, the most common commitment. */
const DISPLAY = '/actor/display';

/** The hash that the first record of a project's chain is linked to. */
export function genesisHash(projectId: string): Sha256Hash {
  return hashJson({ format: AUDIT_FORMAT, project: projectId });
}

/**
 * Digest of a text that the chain covers by hash only. The digest does not include the text's place, because the event
 * hash covers the pointer together with the digest.
 *
 * @param salt base64url of at least 16 random bytes, fresh for every text.
 */
export function commitText(text: string, salt: string): Sha256Hash {
  return hashCanonical(`{"salt":${canonicalString(salt)},"text":${canonicalString(text)}}` as CanonicalJson);
}

/**
 * Hash of one event, independent of its place in the chain. Erasing a committed text does not change it.
 *
 * @throws TypeError when a pointer in `commitments` does not lead to a text or null where texts may be committed.
 */
export function auditEventHash(projectId: string, event: AuditEventContent): Sha256Hash {
  const pointers = Object.keys(event.commitments);
  let { actor } = event;
  const blanked = {
    data: pointers.every((pointer) => pointer === DISPLAY) ? event.data : copyOf(event.data),
  };
  const digests: JsonObject = {};
  for (const pointer of pointers) {
    if (committedText(event, pointer) === undefined) {
      throw new TypeError(`No text that can be committed is at ${pointer}`);
    }
    digests[pointer] = event.commitments[pointer]?.digest ?? null;
    if (pointer === DISPLAY) actor = { ...actor, display: null };
    else blankOut(blanked, pointer);
  }
  return hashEvent(projectId, event, actor, blanked.data, digests);
}

function hashEvent(
  projectId: string,
  event: AuditEventContent,
  actor: AuditActor,
  data: JsonObject,
  digests: JsonObject,
): Sha256Hash {
  return hashCanonical(
    (`{"actor":${canonicalActor(actor)},"commitments":${canonicalJson(digests)},"data":${canonicalJson(data)}` +
      `,"id":${canonicalString(event.id)},"intent_id":${canonicalString(event.intent_id)}` +
      `,"occurred_at":${canonicalString(event.occurred_at)},"project":${canonicalString(projectId)}` +
      `,"type":${canonicalString(event.type)}}`) as CanonicalJson,
  );
}

function canonicalActor({ display, id, type }: AuditActor): string {
  return `{"display":${canonicalString(display)},"id":${canonicalString(id)},"type":${canonicalString(type)}}`;
}

/** Hash of a record: links its event to its place and to all records before it. */
export function auditRecordHash(prevHash: string, seq: number, eventHash: string): Sha256Hash {
  return hashCanonical(
    `{"event_hash":${canonicalString(eventHash)},"prev_hash":${canonicalString(prevHash)},"seq":${canonicalJson(seq)}}` as CanonicalJson,
  );
}

/**
 * The text that a commitment covers. Null when it was erased; undefined when the pointer leads to no text, or to a
 * member that must not be committed. Without that rule, a record's type could be "erased" from its hash.
 */
export function committedText(
  event: Pick<AuditEventContent, 'actor' | 'data'>,
  pointer: string,
): string | null | undefined {
  if (pointer === DISPLAY) {
    const { display } = event.actor;
    return typeof display === 'string' || display === null ? display : undefined;
  }
  if (!pointer.startsWith('/data/')) return undefined;
  let value: JsonValue | undefined = { data: event.data };
  for (const step of pointerSteps(pointer)) value = propertyOf(value, step);
  return typeof value === 'string' || value === null ? value : undefined;
}

function propertyOf(container: JsonValue | undefined, step: string): JsonValue | undefined {
  if (container === null || typeof container !== 'object' || !Object.hasOwn(container, step))
    return undefined;
  // `length` is an own member of an array but not an index, so it finds nothing.
  if (Array.isArray(container)) return container[Number(step)];
  return container[step];
}

/** Sets the text at the pointer to null, in place. */
function blankOut(root: JsonObject, pointer: string): void {
  const steps = pointerSteps(pointer);
  const last = steps.pop() ?? '';
  let container: JsonValue | undefined = root;
  for (const step of steps) container = propertyOf(container, step);
  if (Array.isArray(container)) container[Number(last)] = null;
  else if (container !== null && typeof container === 'object') container[last] = null;
}

function copyOf<T extends JsonValue>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copyOf) as JsonValue as T;
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, copyOf(property)])) as T;
}
