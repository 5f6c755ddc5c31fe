/**
 * The capabilities that a 2025 client declared at the start. It declares them only once, and the gate keeps no
 * connection. So they travel in `Mcp-Session-Id`, sealed and bound to the credential. Any gate of the database can
 * read them, nobody can forge them, and another credential cannot use them.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Caller } from '../../gate/access/caller.ts';
import type { SecretEncryption } from '../../gate/kernel/secret-encryption.ts';

/** What a client can be asked: to send its user to a URL, to show a form, or to query its model. */
export type ClientSkill = 'url' | 'form' | 'sampling';

const SKILLS: readonly ClientSkill[] = ['url', 'form', 'sampling'];

export interface McpSession {
  /** The ID as the client sends it. */
  id: string;
  skills: readonly ClientSkill[];
}

/** @param nonce Makes each session of a credential distinct. */
export function sealSession(
  encryption: SecretEncryption,
  caller: Caller,
  skills: readonly ClientSkill[],
  nonce: string,
): string {
  return encryption.encrypt(purposeFor(caller), `${nonce} ${skills.join(' ')}`);
}

/** Returns undefined for a session that was not issued to this credential. */
export function openSession(
  encryption: SecretEncryption,
  caller: Caller,
  id: string,
): McpSession | undefined {
  const words = encryption.decrypt(purposeFor(caller), id)?.split(' ');
  return words && { id, skills: SKILLS.filter((skill) => words.includes(skill)) };
}

/** Reads `capabilities` of `initialize`. An empty `elicitation` means forms, as it did before there were modes. */
export function skillsIn({ elicitation, sampling }: JsonObject): readonly ClientSkill[] {
  const modes = isObject(elicitation) ? Object.keys(elicitation) : null;
  return [
    ...(modes?.includes('url') ? (['url'] as const) : []),
    ...(modes?.length === 0 || modes?.includes('form') ? (['form'] as const) : []),
    ...(isObject(sampling) ? (['sampling'] as const) : []),
  ];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function purposeFor({ credentialId }: Caller): string {
  return `mcp-session ${credentialId}`;
}
