import { RE2JS } from 're2js';
import { estimatePatternSize } from '../../kernel/pattern-size.ts';
import { MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from './limits.ts';

/** A regular expression in RE2 syntax: matching takes time linear in the text, whatever the pattern. */
export interface LinearPattern {
  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean;
  /** Units one character may cost: the engine may follow that many states at once. */
  readonly unitsPerCharacter: number;
}

const REPEATS_TOO_MUCH = 'The pattern repeats too much; use smaller repetition counts.';
/** What alternatives have in common is compiled once; an estimate counts it in each. */
const ESTIMATE_SLACK = 4;

/** The pattern, or why it is refused. */
export function compileLinearPattern(source: string): LinearPattern | { problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { problem: `A pattern has at most ${MAX_PATTERN_LENGTH} characters.` };
  }
  // Before it is compiled: what comes to tens of thousands of instructions takes the gate from everybody else.
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
    // Not `test`: that builds automaton states as it meets new texts, ten times slower while it does, and keeps
    // megabytes of them. Whoever chooses the text would choose that too.
    test: (text) => compiled.matcher(text).find(),
    unitsPerCharacter: 1 + size / 4,
  };
}
