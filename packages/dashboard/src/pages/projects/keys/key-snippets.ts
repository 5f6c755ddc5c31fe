import type { KeyKind } from './keys.words.ts';

/**
 * Variables that the SDK, the command line and the examples read. `new Permitry()` takes the first, an executor the
 * last.
 */
const VARIABLE: Record<KeyKind, string> = {
  agent: 'PERMITRY_KEY',
  secret: 'PERMITRY_SECRET_KEY',
  verify: 'PERMITRY_VERIFIER_KEY',
};

/** The lines to paste into a shell to use a new key. `origin` is the gate's own URL. */
export function environmentOf(origin: string, kind: KeyKind, key: string): string {
  return `export PERMITRY_URL=${origin}\nexport ${VARIABLE[kind]}=${key}`;
}

const CALL: Record<KeyKind, string> = {
  agent: `curl -sS "$PERMITRY_URL/v1/intents" \\
  -H "Authorization: Bearer $PERMITRY_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "action": "demo.hello", "params": { "to": "world" } }'`,
  secret: `curl -sS "$PERMITRY_URL/api/intents?status=pending" \\
  -H "Authorization: Bearer $PERMITRY_SECRET_KEY"`,
  verify: `curl -sS "$PERMITRY_URL/v1/permits/validate" \\
  -H "Authorization: Bearer $PERMITRY_VERIFIER_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "token": "THE PERMIT", "consume": true,
        "action": "demo.hello", "params": { "to": "world" } }'`,
};

/** The first call to make with a key of this kind. */
export function firstCallOf(kind: KeyKind): string {
  return CALL[kind];
}

// Joins pieces, so that tools do not mistake the text for an import of this file.
const IMPORT = ['import { Permitry }', 'from', "'@permitry/sdk';"].join(' ');

/** The first call with the SDK. The function runs after a person approves. */
export const FIRST_PROTECTED = `${IMPORT}

const permitry = new Permitry(); // reads PERMITRY_URL and PERMITRY_KEY
const hello = permitry.protect('demo.hello', async ({ to }) => \`Hello, \${to}\`);

console.log(await hello({ to: 'world' })); // waits for the decision`;

/** For an MCP client: the entry for the gate's own server, which offers the project's protected tools. */
export function mcpEntryOf(origin: string, key: string): string {
  const permitry = { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${key}` } };
  return JSON.stringify({ mcpServers: { permitry } }, null, 2);
}
