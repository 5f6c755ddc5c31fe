import type { Bus } from '../kernel/bus.ts';
import type { ExecutingRequest } from './connector-request.ts';
import { settleRequest } from './run-tool.ts';
import type { ToolDeps } from './tool-deps.ts';

type SweepDeps = Pick<ToolDeps, 'clock' | 'ids' | 'ledger' | 'listeners' | 'storage' | 'tools'> & {
  bus: Bus;
};

const AT_ONCE = 100;

const LOST =
  'The gate that ran it stopped before it could report the result. It is not run again; check the other system.';

/**
 * Settles as `unknown` the runs that no gate runs any longer: the lease of the gate that claimed the request has
 * expired. If no other gate shares the database, runs claimed by an earlier start of this gate count as well. Returns
 * how many were settled.
 */
export async function sweepLostRuns(gate: SweepDeps): Promise<number> {
  const executing = await gate.storage.read.listExecutingRequests(AT_ONCE);
  const lost = executing.filter((request) => isLost(gate, request));
  for (const request of lost) {
    const at = gate.clock.now();
    const isOurs = await gate.storage.transaction(
      (tx) =>
        settleRequest(gate, tx, request, { state: 'unknown', result: null, message: LOST, at }, SWEEPER),
      { guarded: true },
    );
    if (isOurs) gate.tools.runs.count('swept');
  }
  return lost.length;
}

const SWEEPER = { type: 'system' as const, id: 'gateway', display: 'gateway' };

function isLost(gate: SweepDeps, { id, leasedBy, leasedUntil }: ExecutingRequest): boolean {
  // A run at this gate is not lost, whatever the clock says: the clock may have jumped, or the machine slept.
  if (gate.tools.runs.find(id)) return false;
  if (leasedUntil <= gate.clock.now()) return true;
  return !gate.bus.shared && leasedBy !== gate.tools.runs.holder;
}
