/** Tells how a response of Node's ended, once. */
import type { Outcome } from '../index.ts';
import { outcomeOf } from './guard.ts';

/** Of Node's ServerResponse, which Express and Fastify answer with. */
export interface NodeResponse {
  statusCode: number;
  /** Whether its connection is gone. */
  destroyed?: boolean | undefined;
  once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** `unknown` where the connection was closed before the answer was through: nobody can say then what was done. */
export function whenEnded(response: NodeResponse, tell: (outcome: Outcome) => void): void {
  let isTold = false;
  const once = (outcome: Outcome) => {
    if (isTold) return;
    isTold = true;
    tell(outcome);
  };
  // It was closed while the permit was being used: neither of the two is heard any more.
  if (response.destroyed) once('unknown');
  response.once('finish', () => once(outcomeOf(response.statusCode)));
  response.once('close', () => once('unknown'));
}
