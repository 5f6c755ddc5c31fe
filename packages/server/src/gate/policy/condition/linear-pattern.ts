import { RE2JS } from 're2js';
import { estimatePatternSize } from '../../kernel/pattern-size.ts';
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from './limits.ts';

/** A regular expression in RE2 syntax. Matching takes time linear in the text, whatever the pattern. */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Cost units per character: the engine may follow this many states at a time. */
  readonly unitsPerCharacter: number;
}

const REPEATS_TOO_MUCH = 'The pattern repeats too much; use smaller repetition counts.';
/** The compiler shares common parts of alternatives, but the estimate counts a part in each alternative. */
const ESTIMATE_SLACK = 4;

/** The compiled pattern, or the reason for refusing it. */
export function compileLinearPattern(source: string): LinearPattern | { problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { problem: `A pattern has at most ${MAX_PATTERN_LENGTH} characters.` };
  }
  // Checks the size before compiling: a pattern with tens of thousands of instructions would block the gate for
  // everybody.
  if (estimatePatternSize(source) > MAX_PATTERN_SIZE * ESTIMATE_SLACK) return { problem: REPEATS_TOO_MUCH };
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return { problem: `The pattern is not a regular expression in RE2 syntax (${detail}).` };
  }
  const size = compiled.programSize();
  if (size > MAX_PATTERN_SIZE) return { problem: REPEATS_TOO_MUCH };
  return {
    // Does not use the engine's `test`, which builds automaton states for new texts. That is ten times slower and keeps
    // megabytes of states, and the requester chooses the text.
    test: (text) => compiled.matcher(text).find(),
    unitsPerCharacter: 1 + size / 4,
  };
}
