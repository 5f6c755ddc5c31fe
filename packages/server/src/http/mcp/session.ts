/**
 * What a client of the 2025 revisions said of itself when it began. Those revisions say it once and the gate keeps no
 * connection, so it travels in `Mcp-Session-Id`, sealed and bound to the credential: any gate of the database can read
 * it, nobody can make one up, and under another credential it is unknown.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Caller } from '../../gate/access/caller.ts';
import type { SecretEncryption } from '../../gate/kernel/secret-encryption.ts';

/** What a client can be asked: to lead its user to an address, to show a form, to ask its model. */
export type ClientSkill = 'url' | 'form' | 'sampling';

const SKILLS: readonly ClientSkill[] = ['url', 'form', 'sampling'];

export interface McpSession {
  /** As the client presents it. */
  id: string;
  skills: readonly ClientSkill[];
}

/** @param nonce Makes two sessions of one credential two. */
export function sealSession(
  encryption: SecretEncryption,
  caller: Caller,
  skills: readonly ClientSkill[],
  nonce: string,
): string {
  return encryption.encrypt(purposeFor(caller), `${nonce} ${skills.join(' ')}`);
}

/** Undefined for what this credential was not given. */
export function openSession(
  encryption: SecretEncryption,
  caller: Caller,
  id: string,
): McpSession | undefined {
  const words = encryption.decrypt(purposeFor(caller), id)?.split(' ');
  return words && { id, skills: SKILLS.filter((skill) => words.includes(skill)) };
}

/** By `capabilities` of `initialize`; an empty `elicitation` means forms, as it did before there were modes. */
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
