import type { KeyKind } from './key-kinds.ts';

/** What to paste into a shell to use a new key; `origin` is the gate's own address. */
export function environmentOf(origin: string, key: string): string {
  return `export PERMITRY_URL=${origin}\nexport PERMITRY_KEY=${key}`;
}

const CALL: Record<KeyKind, string> = {
  agent: `curl -sS "$PERMITRY_URL/v1/intents" \\
  -H "Authorization: Bearer $PERMITRY_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "action": "demo.hello", "params": { "to": "world" } }'`,
  secret: `curl -sS "$PERMITRY_URL/api/intents?status=pending" \\
  -H "Authorization: Bearer $PERMITRY_KEY"`,
  verify: `curl -sS "$PERMITRY_URL/v1/permits/validate" \\
  -H "Authorization: Bearer $PERMITRY_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "token": "THE PERMIT", "consume": true,
        "action": "demo.hello", "params": { "to": "world" } }'`,
};

/** The first call that a key of this kind makes. */
export function firstCallOf(kind: KeyKind): string {
  return CALL[kind];
}
