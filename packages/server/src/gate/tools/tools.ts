import type { WaitingRequests } from '../limits/waiting-requests.ts';
import type { ArgumentChecker } from './argument-checker.ts';
import type { Connectors } from './connectors.ts';
import type { ToolRuns } from './tool-runs.ts';

/** The tools behind the gateway, and their calls at this gate. */
export interface Tools {
  readonly connectors: Connectors;
  readonly argumentChecker: ArgumentChecker;
  readonly runs: ToolRuns;
  /** The calls whose answers are held. */
  readonly waitingCalls: WaitingRequests;
}
