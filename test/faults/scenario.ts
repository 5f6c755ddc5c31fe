/** The interface of every crash and fault scenario, for the commands and tests that run it. */
export interface ScenarioOptions {
  /** The number of rounds. Each scenario defines what one round is. */
  rounds: number;
  seed: number;
  /** Inside `npm run test:release`: one round, and less of everything that takes time. */
  short: boolean;
  /** Reports progress, one line at a time. */
  say(line: string): void;
}

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  summary: string;
  /** Rounds of the long form. */
  rounds: number;
  /**
   * Returns a one-line summary. Throws `FaultFound` for a broken promise, and `CannotRun` if the scenario cannot run
   * here.
   */
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

/** This machine lacks something that the scenario needs. The message says what to do about it. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

const MOST_SHOWN = 20;

/** @throws FaultFound when there is any */
export function assertNoFindings(findings: readonly string[], where: string): void {
  if (findings.length > 0) throw new FaultFound(findings.map((finding) => `${where}: ${finding}`));
}
