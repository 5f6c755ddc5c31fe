/** Controls the shim through a file that the gate's process has mapped into its memory. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** faults-shim.c has the same layout. */
const PLACES = {
  clockOffset: 0,
  diskFull: 8,
  swallowSyncs: 12,
  failSyncs: 16,
  syncDelay: 20,
  size: 24,
} as const;

export class ControlFile {
  readonly path: string;
  readonly #file: number;

  constructor(folder: string) {
    this.path = join(folder, 'control');
    this.#file = openSync(this.path, 'w+', 0o600);
    writeSync(this.#file, Buffer.alloc(PLACES.size), 0, PLACES.size, 0);
  }

  /** How far the machine's clock is ahead, in milliseconds. Negative: behind. */
  setClockOffset(ms: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(ms)) * 1_000_000n);
    writeSync(this.#file, bytes, 0, 8, PLACES.clockOffset);
  }

  /** Whether files can no longer grow. */
  setDiskFull(full: boolean): void {
    this.#set(PLACES.diskFull, full ? 1 : 0);
  }

  /** Syncs report success, but do nothing. */
  setSwallowSyncs(swallow: boolean): void {
    this.#set(PLACES.swallowSyncs, swallow ? 1 : 0);
  }

  /** Syncs fail with EIO. */
  setFailSyncs(fail: boolean): void {
    this.#set(PLACES.failSyncs, fail ? 1 : 0);
  }

  close(): void {
    closeSync(this.#file);
  }

  #set(place: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    writeSync(this.#file, bytes, 0, 4, place);
  }
}
