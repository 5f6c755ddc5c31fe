/** Reports once how a Node response ended. */
import type { Outcome } from '../index.ts';
import { outcomeOf } from './guard.ts';

/** The part of Node's ServerResponse, which Express and Fastify use, that the guard needs. */
export interface NodeResponse {
  statusCode: number;
  /** Whether the connection is closed. */
  destroyed?: boolean | undefined;
  once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** `unknown` when the connection closed before the answer was sent completely: nobody can tell what was done. */
export function whenEnded(response: NodeResponse, tell: (outcome: Outcome) => void): void {
  let isTold = false;
  const once = (outcome: Outcome) => {
    if (isTold) return;
    isTold = true;
    tell(outcome);
  };
  // The connection closed while the permit was being used, so neither event will fire.
  if (response.destroyed) once('unknown');
  response.once('finish', () => once(outcomeOf(response.statusCode)));
  response.once('close', () => once('unknown'));
}
