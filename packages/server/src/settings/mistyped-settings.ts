const MOST_TYPOS = 3;
/** Of clients: whoever has them set may start a gate in the same shell. */
const OF_CLIENTS = [
  'PERMITRY_URL',
  'PERMITRY_APPROVE_WITHOUT_TERMINAL',
  'PERMITRY_KEY',
  'PERMITRY_SECRET_KEY',
  'PERMITRY_VERIFIER_KEY',
  'PERMITRY_API_KEY',
];

/** Variables that are nearly the name of a setting, each in a sentence. Others are somebody else's. */
export function findMistyped(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PERMITRY_') && !known.includes(name) && !OF_CLIENTS.includes(name))
    .flatMap((name) => {
      const near = known
        .map((setting) => ({ setting, letters: distance(setting, name) }))
        .sort((one, other) => one.letters - other.letters)[0];
      if (near === undefined || near.letters > MOST_TYPOS) return [];
      return [`${name} is not a setting; did you mean ${near.setting}?`];
    });
}

/** How many letters two names differ in (Levenshtein). */
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
