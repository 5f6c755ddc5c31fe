/**
 * Writes on a disk whose fsync takes some milliseconds longer, compared with the floor, which writes nothing. Also
 * reads at the same time as these writes.
 */
import type { ChildServer } from '../child-server.ts';
import { runLoad } from '../load.ts';
import { median } from '../median.ts';
import { batchOf, creations, type Operation } from '../operations.ts';
import type { BenchOptions } from '../options.ts';
import { measureFloor, measureOperation, type Sample } from '../round.ts';
import type { Subject } from '../subject.ts';
import { printTable, showProgress } from '../table.ts';

const CONNECTIONS = [64, 256];
const WRITES: readonly Operation[] = ['create', 'create-keyed', 'approve'];
const DELAYS = ['as it is', 'slowed'] as const;
type Delay = (typeof DELAYS)[number];

interface Line {
  connections: number;
  name: Operation | 'floor' | 'read beside create';
  delay: Delay;
  sample: Pick<Sample, 'rate' | 'p50' | 'p99' | 'requests' | 'commits'>;
  /** The floor's rate in the same round, with the same number of connections. */
  floorRate: number;
}

/** Sets the disk back to normal afterwards. The floor is never slowed, because it uses no disk. */
export async function measureSlowDisk(
  floor: ChildServer,
  subject: Subject,
  { rounds, perRound, fsyncDelayMs }: BenchOptions,
): Promise<Line[]> {
  const { shim } = subject;
  if (!shim) return [];
  const count = perRound;
  const lines: Line[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      showProgress(`slow disk: round ${round} of ${rounds}`);
      for (const connections of CONNECTIONS) {
        const bare = await measureFloor(floor, count, { connections });
        const add = (name: Line['name'], delay: Delay, sample: Line['sample']): void => {
          lines.push({ connections, name, delay, sample, floorRate: bare.rate });
        };
        add('floor', 'as it is', bare);
        for (const delay of DELAYS) {
          shim.slowDown(delay === 'slowed' ? fsyncDelayMs : 0);
          for (const operation of WRITES) {
            add(operation, delay, await measureOperation(operation, subject, count, { connections }));
          }
          add('read beside create', delay, await measureReads(subject, count, connections));
        }
      }
    }
  } finally {
    shim.slowDown(0);
    showProgress('');
  }
  return lines;
}

/** Sixteen connections read while the others write: how long a reader waits when the disk is busy with writers. */
async function measureReads(subject: Subject, count: number, connections: number): Promise<Line['sample']> {
  const { requests, expected } = batchOf('read', subject, Math.ceil(count / 4));
  const [reads] = await Promise.all([
    runLoad(subject.server.port, requests, expected, { connections: 16 }),
    runLoad(subject.server.port, creations(subject, count), 201, { connections: connections - 16 }),
  ]);
  return { ...reads, requests: requests.length, commits: 0 };
}

export function printSlowDisk(lines: readonly Line[], fsyncDelayMs: number): void {
  const rows: string[][] = [];
  for (const connections of CONNECTIONS) {
    for (const name of ['floor', ...WRITES, 'read beside create'] as const) {
      for (const delay of DELAYS) {
        const same = lines.filter(
          (line) => line.connections === connections && line.name === name && line.delay === delay,
        );
        if (same.length > 0) rows.push(rowOf(same));
      }
    }
  }
  const columns = ['', 'connections', 'fsync', 'per second', 'of floor', 'p50 ms', 'p99 ms', 'per commit'];
  printTable(`Each fsync ${fsyncDelayMs} ms slower`, columns, rows);
}

function rowOf(lines: readonly Line[]): string[] {
  const [first] = lines;
  const of = (pick: (line: Line) => number): number => median(lines.map(pick));
  const commits = of(({ sample }) => sample.commits);
  return [
    first?.name ?? '',
    String(first?.connections),
    first?.name === 'floor' ? '' : (first?.delay ?? ''),
    Math.round(of(({ sample }) => sample.rate)).toLocaleString('en'),
    of(({ sample, floorRate }) => sample.rate / floorRate).toFixed(2),
    of(({ sample }) => sample.p50).toFixed(1),
    of(({ sample }) => sample.p99).toFixed(1),
    commits > 0 ? of(({ sample }) => sample.requests / sample.commits).toFixed(1) : '',
  ];
}
