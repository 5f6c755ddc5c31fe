/** What a check found of one part of a gate. */
export interface Finding {
  part: 'configuration' | 'database' | 'keys' | 'clock' | 'disk';
  /** `problem`: a gate would not start, or must not be. `warning`: it starts, and its operator should know. */
  state: 'ok' | 'warning' | 'problem';
  /** What there is and what to do, in a sentence or two. */
  message: string;
}

export function warning(part: Finding['part'], message: string): Finding {
  return { part, state: 'warning', message };
}

export function problem(part: Finding['part'], message: string): Finding {
  return { part, state: 'problem', message };
}

/** `ok` with this message, unless there is something to say. */
export function findingsOr(
  findings: readonly Finding[],
  part: Finding['part'],
  message: string,
): readonly Finding[] {
  return findings.length > 0 ? findings : [{ part, state: 'ok', message }];
}
