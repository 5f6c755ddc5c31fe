/** Removes secrets from everything that is about to be logged, at any depth (threat 19). */

const REMOVED = '[removed]';

/** Members whose value is a secret, whatever it looks like. */
const SECRET_NAME =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|password|passphrase|secret|token|key|jws|jwt|(?:api|secret|agent|verifier|private|signing)[_-]?key|(?:permit|user|access|refresh|metrics)[_-]?token|device[_-]?code|apikey)$/i;

/**
 * Our keys (`prm_…`) and secrets (`whsec_…`), and anything signed (three base64url segments of a JWS whose header is
 * JSON).
 */
const KEY_TEXT =
  /\bprm_[A-Za-z0-9_]{8,}|\bwhsec_[A-Za-z0-9+/=]{8,}|\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}/gi;
const SECRET_TEXT = new RegExp(`${KEY_TEXT.source}|\\bbearer\\s+[^\\s"',;]+`, 'gi');

/** The password before the `@` of an address. */
const PASSWORD_IN_ADDRESS = /(:\/\/[^\s/?#:@"]*:)[^\s/?#@"]+@/g;

/** Members of a database's errors that quote the affected row, with whatever it contains. */
const QUOTES_OF_ROWS: ReadonlySet<string> = new Set(['detail', 'where', 'internalQuery', 'hint']);

const DEEPEST = 8;

export function scrubText(text: string): string {
  return text.replace(SECRET_TEXT, REMOVED).replace(PASSWORD_IN_ADDRESS, `$1${REMOVED}@`);
}

/** An answer must not repeat a key or permit that was sent in the wrong place, because people paste answers around. */
export function withoutKeys<T extends object>(body: T): T {
  const text = JSON.stringify(body);
  const clean = text.replace(KEY_TEXT, REMOVED);
  return clean === text ? body : (JSON.parse(clean) as T);
}

/** A copy without secrets. Errors become plain objects with their causes. */
export function scrub(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[too deep]';
  if (value instanceof Error) return scrubError(value, depth);
  if (ArrayBuffer.isView(value)) return '[bytes]';
  if (value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => scrub(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => [
      name,
      SECRET_NAME.test(name) ? REMOVED : scrub(property, depth + 1),
    ]),
  );
}

function scrubError(error: Error, depth: number): unknown {
  const { name, message, stack, cause, ...rest } = error;
  return {
    type: name,
    message: scrubText(message),
    stack: scrubText(stack ?? ''),
    ...(cause === undefined ? {} : { cause: scrub(cause, depth + 1) }),
    ...(scrub('severity' in rest ? withoutRows(rest) : rest, depth + 1) as object),
  };
}

function withoutRows(raised: object): object {
  return Object.fromEntries(Object.entries(raised).filter(([name]) => !QUOTES_OF_ROWS.has(name)));
}
