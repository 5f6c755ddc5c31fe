/**
 * ASCII only, because the letters of all scripts include pairs that look alike, and people decide by the name whom they
 * trust. No `@`, so that an agent cannot pass for a person's address.
 */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._:/+#()-]{0,98}[A-Za-z0-9)])?$/;
/** Words that the audit log and requirements use for identities. */
const RESERVED =
  /^(?:(?:policy|role|key|user|agent|system|operator):|(?:agt|key|usr|prj|int)_|(?:operator|system)$)/i;

export const AGENT_NAME_RULE =
  'Must be 1 to 100 characters: ASCII letters, digits, single spaces and . _ : / + # ( ) -, beginning and ending with a letter or digit, and not a reserved word.';

/** The name as stored. Undefined when an agent must not have it. */
export function toAgentName(text: string): string | undefined {
  const name = text.normalize('NFC').trim();
  return NAME.test(name) && !name.includes('  ') && !RESERVED.test(name) ? name : undefined;
}
