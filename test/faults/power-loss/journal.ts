/** The journal that the shim writes, and the test's own marks in it. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** faults-shim.c has the same numbers, up to `mkdir`. Marks exist only here. */
const OPERATIONS = {
  1: 'write',
  2: 'truncate',
  3: 'sync begun',
  4: 'sync done',
  5: 'rename',
  6: 'unlink',
  7: 'create',
  8: 'mkdir',
  100: 'mark',
} as const;
type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS];

const MAGIC = 0x4a544c46;
const MARK = 100;
const HEADER_BYTES = 40;

export interface JournalRecord {
  operation: Operation;
  path: string;
  /** The new name. */
  other: string;
  /** For a write: the offset. For a truncation: the new length. For a mark: its number. */
  offset: number;
  /** Pairs the two records of a sync. */
  ticket: number;
  data: Buffer;
}

/** Drops a record that was incomplete when its writer ended, and everything after it. */
export function readJournal(path: string): JournalRecord[] {
  const bytes = readFileSync(path);
  const records: JournalRecord[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    if (bytes.readUInt32LE(at) !== MAGIC) throw new Error(`the journal is broken at byte ${at}`);
    const [pathLength, otherLength, dataLength] = [20, 24, 28].map((place) => bytes.readUInt32LE(at + place));
    const start = at + HEADER_BYTES;
    const otherAt = start + (pathLength ?? 0);
    const dataAt = otherAt + (otherLength ?? 0);
    const end = dataAt + (dataLength ?? 0);
    if (end > bytes.length) break;
    records.push({
      operation: operationOf(bytes.readUInt32LE(at + 4)),
      offset: Number(bytes.readBigInt64LE(at + 8)),
      ticket: bytes.readUInt32LE(at + 16),
      path: bytes.toString('utf8', start, otherAt),
      other: bytes.toString('utf8', otherAt, dataAt),
      data: bytes.subarray(dataAt, end),
    });
    at = end;
  }
  return records;
}

function operationOf(number: number): Operation {
  const operation = OPERATIONS[number as keyof typeof OPERATIONS];
  if (operation === undefined) throw new Error(`the journal holds an operation ${number}`);
  return operation;
}

/** Adds marks between the records of the processes under test. */
export class Marker {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600);
  }

  /** Records that the event with this number happened before the gate's later writes. */
  mark(number: number): void {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32LE(MAGIC, 0);
    header.writeUInt32LE(MARK, 4);
    header.writeBigInt64LE(BigInt(number), 8);
    writeSync(this.#file, header);
  }

  close(): void {
    closeSync(this.#file);
  }
}
