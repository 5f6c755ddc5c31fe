import { readFileSync } from 'node:fs';
import type { PublicJwk, PublicJwks } from '@permitry/protocol';
import { usage } from '../command-failure.ts';

/** A key set saved from `/.well-known/jwks.json`. Throws `CommandFailure`. */
export function readJwks(path: string): PublicJwks {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw usage(`Cannot read --jwks ${path} as JSON.`, cause);
  }
  const keys = (value as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isPublicJwk))
    throw usage(
      `--jwks ${path} is not a set of ES256 keys. Save one with: curl BASE_URL/.well-known/jwks.json`,
    );
  return { keys };
}

function isPublicJwk(value: unknown): value is PublicJwk {
  const key = value as Partial<PublicJwk> | null;
  return (
    key?.kty === 'EC' &&
    key.crv === 'P-256' &&
    [key.x, key.y, key.kid].every((property) => typeof property === 'string' && property !== '')
  );
}
