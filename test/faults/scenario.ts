/** What every scenario of the tests of crashes and faults looks like to those who run it. */
export interface ScenarioOptions {
  /** How often; what one round is, each scenario says. */
  rounds: number;
  seed: number;
  /** Inside `npm run test:release`: one round, and less of everything that takes time. */
  short: boolean;
  /** Told of progress, a line at a time. */
  say(line: string): void;
}

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  summary: string;
  /** Rounds of the long form. */
  rounds: number;
  /** Answers in one line what was seen. Throws `FaultFound` for a broken promise, `CannotRun` where it cannot be tried. */
  run(options: ScenarioOptions): Promise<string>;
}

/** The gate broke a promise. */
export class FaultFound extends Error {
  constructor(findings: readonly string[]) {
    const shown = findings.slice(0, MOST_SHOWN);
    const more = findings.length - shown.length;
    super([...shown, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'));
    this.name = 'FaultFound';
  }
}

/** This machine lacks what the scenario takes; the message says what to do about it. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

const MOST_SHOWN = 20;

/** @throws FaultFound when there is any */
export function assertNoFindings(findings: readonly string[], where: string): void {
  if (findings.length > 0) throw new FaultFound(findings.map((finding) => `${where}: ${finding}`));
}
