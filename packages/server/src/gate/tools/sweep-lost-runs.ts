import type { Bus } from '../kernel/bus.ts';
import type { ExecutingRequest } from './connector-request.ts';
import { settleRequest } from './run-tool.ts';
import type { ToolDeps } from './tool-deps.ts';

type SweepDeps = Pick<ToolDeps, 'clock' | 'ids' | 'ledger' | 'listeners' | 'storage' | 'tools'> & {
  bus: Bus;
};

const AT_ONCE = 100;

const LOST =
  'The gate that ran it stopped before it could tell what came of it. It is not run again; look at the other side.';

/**
 * Settles as `unknown` what nobody runs any more: whoever claimed it let its lease run out, or, where no other gate
 * can be on this database, was an earlier start of this one. Answers how many.
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
  // What runs here is not lost, whatever the clock says: it may have jumped, or the machine slept.
  if (gate.tools.runs.find(id)) return false;
  if (leasedUntil <= gate.clock.now()) return true;
  return !gate.bus.shared && leasedBy !== gate.tools.runs.holder;
}
