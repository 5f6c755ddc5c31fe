/** Finds unknown PERMITRY_ variables: a misspelt one must not silently leave a gate open. */

const MOST_TYPOS = 3;

/**
 * These variables belong to clients, backups and examples in the docs, not to a gate. They may be set in the same
 * shell.
 */
export const OTHER_NAMES: readonly string[] = [
  'PERMITRY_URL',
  'PERMITRY_KEY',
  'PERMITRY_KEY_FILE',
  'PERMITRY_API_KEY',
  'PERMITRY_API_KEY_FILE',
  'PERMITRY_BACKUP_KEY',
  'PERMITRY_BACKUP_KEY_FILE',
  'PERMITRY_APPROVE_WITHOUT_TERMINAL',
  'PERMITRY_SECRET_KEY',
  'PERMITRY_VERIFIER_KEY',
  'PERMITRY_WEBHOOK_SECRET',
];
const OF_TESTS = 'PERMITRY_TEST_';

type Environment = Readonly<Record<string, string | undefined>>;

/** Unknown PERMITRY_ variables, with a sentence about each. */
export function findUnknown(env: Environment, settings: readonly string[]): string[] {
  const known = [...settings, ...OTHER_NAMES];
  return Object.keys(env)
    .filter((name) => name.startsWith('PERMITRY_') && !known.includes(name) && !name.startsWith(OF_TESTS))
    .map((name) => {
      const near = known
        .map((other) => ({ other, letters: distance(other, name) }))
        .sort((one, other) => one.letters - other.letters)[0];
      return near === undefined || near.letters > MOST_TYPOS
        ? `${name} is not a setting; unset it, or see docs/running.md`
        : `${name} is not a setting. Did you mean ${near.other}?`;
    });
}

const SERVICE_LINK =
  /^PERMITRY_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/**
 * Removes the variables that Kubernetes adds to pods beside a service named `permitry` or `permitry-…`, such as
 * PERMITRY_PORT=tcp://….
 */
export function withoutServiceLinks(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value = '']) => {
      const isAddress = name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);
      return !SERVICE_LINK.test(name) && !(isAddress && name.startsWith('PERMITRY_'));
    }),
  );
}

/** The number of letters in which two names differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(
        Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
