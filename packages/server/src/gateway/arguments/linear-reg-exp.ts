import { RE2JS } from 're2js';
import { estimatePatternSize } from '../../gate/kernel/pattern-size.ts';

const MOST_CHARACTERS = 2000;
const MOST_INSTRUCTIONS = 4000;
/** Limit for all patterns of a schema together, because they are compiled together. */
const MOST_INSTRUCTIONS_OF_ALL = 40_000;
/** Characters of text times instructions of the pattern, summed over one call. */
const MOST_WORK = 10_000_000;

export class TooMuchToMatch extends Error {}

/**
 * The work left for the call being checked. Each call starts with the full limit again, and only one call is checked at
 * a time.
 */
export class MatchingWork {
  #left = MOST_WORK;

  begin(): void {
    this.#left = MOST_WORK;
  }

  /** @throws TooMuchToMatch */
  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new TooMuchToMatch('too much to match');
  }
}

interface LinearRegExp {
  test(text: string): boolean;
  exec(text: string): never;
  toString(): string;
}

interface LinearRegExps {
  (source: string): LinearRegExp;
  code: string;
}

/**
 * Matches a schema's `pattern` in time linear in the text, even for a hostile pattern. A pattern with look-ahead or
 * back-references would need more time, so the gate does not check it. The tool also checks the arguments against its
 * own schema.
 */
export function linearRegExps(work: MatchingWork): LinearRegExps {
  let left = MOST_INSTRUCTIONS_OF_ALL;
  const make = (source: string): LinearRegExp => {
    const pattern = compile(source);
    left -= pattern?.programSize() ?? 0;
    if (left < 0) throw new Error('the patterns of the schema are too large together');
    return {
      test(text) {
        if (pattern === null) return true;
        work.spend(text.length * pattern.programSize());
        return pattern.matcher(text).find();
      },
      exec: () => {
        throw new Error('patterns are only tested');
      },
      // Ajv uses this text to tell patterns apart.
      toString: () => source,
    };
  };
  // Ajv requires `code` for generated code files, which the gate does not use.
  return Object.assign(make, { code: 'linearRegExps' });
}

/** Compiling a hundred thousand instructions would block the gate for everyone. */
export function isTooLargeToCompile(source: string): boolean {
  return source.length > MOST_CHARACTERS || estimatePatternSize(source) > MOST_INSTRUCTIONS;
}

function compile(source: string): RE2JS | null {
  if (isTooLargeToCompile(source)) return null;
  try {
    const pattern = RE2JS.compile(source);
    return pattern.programSize() > MOST_INSTRUCTIONS ? null : pattern;
  } catch {
    return null;
  }
}
