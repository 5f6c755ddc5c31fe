import { RE2JS } from 're2js';
import { estimatePatternSize } from '../../gate/kernel/pattern-size.ts';

const MOST_CHARACTERS = 2000;
const MOST_INSTRUCTIONS = 4000;
/** Of all patterns of a schema together, which are compiled at once. */
const MOST_INSTRUCTIONS_OF_ALL = 40_000;
/** Characters of a text times instructions of a pattern, for all that one call is matched with. */
const MOST_WORK = 10_000_000;

export class TooMuchToMatch extends Error {}

/** What is left of it for the call that is looked at: each begins anew, and no two are looked at at once. */
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
 * What a schema's `pattern` is matched with, in time linear in the text, whoever wrote the pattern. One that needs more
 * than that (it looks ahead, or refers back) is left to the tool, which holds the arguments against its own schema as
 * well.
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
      // Ajv tells patterns from one another by it.
      toString: () => source,
    };
  };
  // Asked for by Ajv, for code that it writes to files; nobody does that here.
  return Object.assign(make, { code: 'linearRegExps' });
}

/** What comes to a hundred thousand instructions would take the gate from everybody else while it is compiled. */
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
