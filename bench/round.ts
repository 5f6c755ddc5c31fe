/** One measurement, and a round of measurements. */
import type { ChildServer } from './child-server.ts';
import type { Prepared } from './http-connection.ts';
import { type LoadOptions, runLoad } from './load.ts';
import { batchOf, type Operation } from './operations.ts';
import type { Subject } from './subject.ts';
import { createBody } from './workload.ts';

export interface Sample {
  /** Requests per second. */
  rate: number;
  /** Requests per second, including the time until the events of these requests were sealed. */
  sealedRate: number;
  p50: number;
  p99: number;
  /** Microseconds of server CPU per request, including its share of sealing. */
  cpuMicros: number;
  /** The main thread's part of `cpuMicros`. */
  mainMicros: number;
  requests: number;
  commits: number;
  /** fsync and fdatasync calls. Undefined when they cannot be counted. */
  syncs: number | undefined;
  /** Share of its core that the load used. */
  loadBusy: number;
}

/** The floor is fast. With as few requests as the gates, its measurement would be too short. */
const FLOOR_FOR_ONE = 4;

export async function measureFloor(
  floor: ChildServer,
  perOperation: number,
  options: LoadOptions = {},
): Promise<Sample> {
  const count = perOperation * FLOOR_FOR_ONE;
  const requests = Array.from(
    { length: count },
    (_, n): Prepared => ({ method: 'POST', path: '/floor', body: createBody(n) }),
  );
  const before = await floor.ask();
  const { rate, p50, p99, busy } = await runLoad(floor.port, requests, 200, options);
  const after = await floor.ask();
  return {
    rate,
    sealedRate: rate,
    p50,
    p99,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / count,
    mainMicros: (after.mainMicros - before.mainMicros) / count,
    requests: count,
    commits: 0,
    syncs: undefined,
    loadBusy: busy,
  };
}

/**
 * Everything is sealed before the measurement begins and when it ends, so that no operation includes another one's
 * events.
 */
export async function measureOperation(
  operation: Operation,
  subject: Subject,
  count: number,
  options: LoadOptions = {},
): Promise<Sample> {
  await subject.settle();
  const { requests, expected } = batchOf(operation, subject, count);
  const syncsBefore = subject.shim?.count();
  const before = await subject.server.ask();
  const started = performance.now();
  const keep = operation === 'create' || operation === 'approve';
  const result = await runLoad(subject.server.port, requests, expected, { ...options, keep });
  const syncsAfter = subject.shim?.count();
  const { commits } = await subject.server.ask();
  await subject.settle();
  const seconds = (performance.now() - started) / 1000;
  const { cpuMicros, mainMicros } = await subject.server.ask();
  if (operation === 'create') subject.remember(result.bodies);
  if (operation === 'approve') subject.rememberPermits(result.bodies);
  return {
    rate: result.rate,
    sealedRate: requests.length / seconds,
    p50: result.p50,
    p99: result.p99,
    cpuMicros: (cpuMicros - before.cpuMicros) / requests.length,
    mainMicros: (mainMicros - before.mainMicros) / requests.length,
    requests: requests.length,
    commits: commits - before.commits,
    syncs: syncsAfter === undefined || syncsBefore === undefined ? undefined : syncsAfter - syncsBefore,
    loadBusy: result.busy,
  };
}
