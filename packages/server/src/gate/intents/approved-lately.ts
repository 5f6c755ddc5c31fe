import type { Gate } from '../gate.ts';
import { addSeconds, type Instant } from '../instant.ts';

/** Long enough for a request that is sent twice by mistake, or on purpose. */
const LATELY_SECONDS = 24 * 60 * 60;

/** From when on an identical request that people approved is worth a warning (threat 27). */
export function approvedSince(gate: Pick<Gate, 'clock'>): Instant {
  return addSeconds(gate.clock.now(), -LATELY_SECONDS);
}
