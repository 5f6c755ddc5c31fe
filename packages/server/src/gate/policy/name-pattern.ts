/** Patterns over names, as in `match.action` and `match.source`: exact, `*`, `beginning*`, joined by `|`. */

/** One pattern. `*` is the empty prefix. */
export type NamePattern = { kind: 'exact'; name: string } | { kind: 'prefix'; prefix: string };

/** The alternatives of a member of `match`: a list, a text joined by `|`, or both. */
export function alternativesOf(value: string | readonly string[]): string[] {
  const texts = typeof value === 'string' ? [value] : value;
  return texts.flatMap((text) => text.split('|')).map((text) => text.trim());
}

function parsePattern(text: string): NamePattern | { problem: string } {
  if (text === '') return { problem: 'An alternative is empty.' };
  const star = text.indexOf('*');
  if (star === -1) return { kind: 'exact', name: text };
  if (star === text.length - 1) return { kind: 'prefix', prefix: text.slice(0, -1) };
  return { problem: `"${text}": a star is allowed only at the end.` };
}

function covers(wide: NamePattern, narrow: NamePattern): boolean {
  if (wide === narrow || wide.kind === 'exact') return false;
  return (narrow.kind === 'exact' ? narrow.name : narrow.prefix).startsWith(wide.prefix);
}

function same(one: NamePattern, other: NamePattern): boolean {
  if (one.kind === 'exact') return other.kind === 'exact' && one.name === other.name;
  return other.kind === 'prefix' && one.prefix === other.prefix;
}

/** Patterns that are disjoint, so that a name matches at most one; or the problem with the text. */
export function parseNamePatterns(
  value: string | readonly string[],
): { patterns: readonly NamePattern[] } | { problem: string } {
  const patterns: NamePattern[] = [];
  for (const alternative of alternativesOf(value)) {
    const pattern = parsePattern(alternative);
    if ('problem' in pattern) return pattern;
    if (!patterns.some((known) => same(known, pattern))) patterns.push(pattern);
  }
  return { patterns: patterns.filter((pattern) => !patterns.some((other) => covers(other, pattern))) };
}

export function matchesName(patterns: readonly NamePattern[], name: string | null): boolean {
  return patterns.some((pattern) => {
    if (pattern.kind === 'prefix') return pattern.prefix === '' || name?.startsWith(pattern.prefix) === true;
    return pattern.name === name;
  });
}
