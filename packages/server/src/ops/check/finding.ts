/** The result of checking one part of a gate. */
export interface Finding {
  part: 'configuration' | 'database' | 'keys' | 'clock' | 'disk';
  /** `problem`: a gate would not start, or must not start. `warning`: it starts, but its operator should know. */
  state: 'ok' | 'warning' | 'problem';
  /** The state and what to do, in a sentence or two. */
  message: string;
}

export function warning(part: Finding['part'], message: string): Finding {
  return { part, state: 'warning', message };
}

export function problem(part: Finding['part'], message: string): Finding {
  return { part, state: 'problem', message };
}

/** The findings. If there are none, one `ok` finding with this message. */
export function findingsOr(
  findings: readonly Finding[],
  part: Finding['part'],
  message: string,
): readonly Finding[] {
  return findings.length > 0 ? findings : [{ part, state: 'ok', message }];
}
