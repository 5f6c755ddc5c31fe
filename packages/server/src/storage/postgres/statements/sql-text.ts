/** Reads compiled SQL: enough of it to find the parts of a statement, and no more. */

/** The places of a statement outside all quotes and brackets at which one of the words stands. */
export function findWord(sql: string, word: string, from = 0): number {
  let depth = 0;
  for (let at = from; at < sql.length; at++) {
    const char = sql[at];
    if (char === '"' || char === "'") at = endOfQuoted(sql, at);
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (depth === 0 && sql.startsWith(word, at)) return at;
  }
  return -1;
}

/** Where the bracket that opens at `open` closes. */
export function closingBracket(sql: string, open: number): number {
  let depth = 0;
  for (let at = open; at < sql.length; at++) {
    const char = sql[at];
    if (char === '"' || char === "'") at = endOfQuoted(sql, at);
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0) return at;
  }
  throw new Error(`a bracket never closes: ${sql}`);
}

/** Parts between the commas outside all quotes and brackets. */
export function splitList(sql: string): string[] {
  const parts: string[] = [];
  for (let start = 0; ; ) {
    const comma = findWord(sql, ', ', start);
    if (comma < 0) return [...parts, sql.slice(start)];
    parts.push(sql.slice(start, comma));
    start = comma + 2;
  }
}

/** Puts something in the place of every `$1`, `$2`, … that stands in no quotes. */
export function replaceParameters(sql: string, replace: (number: number) => string): string {
  let result = '';
  for (let at = 0; at < sql.length; at++) {
    const char = sql[at];
    if (char === '"' || char === "'") {
      const end = endOfQuoted(sql, at);
      result += sql.slice(at, end + 1);
      at = end;
    } else if (char === '$') {
      const digits = /^\d+/.exec(sql.slice(at + 1, at + 6))?.[0] ?? '';
      result += replace(Number(digits));
      at += digits.length;
    } else {
      result += char;
    }
  }
  return result;
}

function endOfQuoted(sql: string, start: number): number {
  const quote = sql[start] ?? '';
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] !== quote) continue;
    if (sql[at + 1] !== quote) return at;
    at += 1;
  }
  throw new Error(`a quote never closes: ${sql}`);
}
