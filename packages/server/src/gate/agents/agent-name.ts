/**
 * ASCII only: among letters of all scripts there are always two that look alike, and a name stands where people
 * decide whom they trust. No `@`, which would let an agent pass for a person's address.
 */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._:/+#()-]{0,98}[A-Za-z0-9)])?$/;
/** Words that say in the ledger and in requirements who somebody is. */
const RESERVED =
  /^(?:(?:policy|role|key|user|agent|system|operator):|(?:agt|key|usr|prj|int)_|(?:operator|system)$)/i;

export const AGENT_NAME_RULE =
  'Must be 1 to 100 characters: ASCII letters, digits, single spaces and . _ : / + # ( ) -, beginning and ending with a letter or digit, and not a reserved word.';

/** The name as it is kept, undefined when it is not one an agent may bear. */
export function toAgentName(text: string): string | undefined {
  const name = text.normalize('NFC').trim();
  return NAME.test(name) && !name.includes('  ') && !RESERVED.test(name) ? name : undefined;
}
