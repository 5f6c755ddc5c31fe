import type { KeyKind } from './key-kinds.ts';

/** The names that the command line and the README use as well. */
const VARIABLE: Record<KeyKind, string> = {
  agent: 'AGENT_KEY',
  secret: 'SECRET_KEY',
  verify: 'VERIFIER_KEY',
};

/** What to paste into a shell to use a new key; `origin` is the gate's own address. */
export function environmentOf(origin: string, kind: KeyKind, key: string): string {
  return `export BASE_URL=${origin}\nexport ${VARIABLE[kind]}=${key}`;
}

const CALL: Record<KeyKind, string> = {
  agent: `curl -sS "$BASE_URL/v1/intents" \\
  -H "Authorization: Bearer $AGENT_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "action": "demo.hello", "params": { "to": "world" } }'`,
  secret: `curl -sS "$BASE_URL/api/intents?status=pending" \\
  -H "Authorization: Bearer $SECRET_KEY"`,
  verify: `curl -sS "$BASE_URL/v1/permits/validate" \\
  -H "Authorization: Bearer $VERIFIER_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "token": "THE PERMIT", "consume": true,
        "action": "demo.hello", "params": { "to": "world" } }'`,
};

/** The first call that a key of this kind makes. */
export function firstCallOf(kind: KeyKind): string {
  return CALL[kind];
}
