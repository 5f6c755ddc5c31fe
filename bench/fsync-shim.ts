/** The preloaded library that counts and slows down the gate's fsyncs; see fsync-shim.c. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface FsyncShim {
  /** The environment variables that the process needs. */
  env: Record<string, string>;
  /** fsync and fdatasync calls since the process started. */
  count(): number;
  /** Makes every fsync take this much longer from now on. 0 switches it off. */
  slowDown(milliseconds: number): void;
  close(): void;
}

const COMPILERS = ['cc', 'gcc', 'clang'];
const DELAY_OFFSET = 16;

/** Compiles the library into a directory. Undefined without a C compiler, or without a glibc to preload into. */
export function compileShim(directory: string): string | undefined {
  const library = join(directory, 'fsync-shim.so');
  const source = join(import.meta.dirname, 'fsync-shim.c');
  const made = COMPILERS.some(
    (compiler) =>
      spawnSync(compiler, ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']).status === 0,
  );
  return made ? library : undefined;
}

/** One process's own counters, in a file that both sides map or read. */
export function createShim(library: string, countersFile: string): FsyncShim {
  writeFileSync(countersFile, Buffer.alloc(24));
  const file = openSync(countersFile, 'r+');
  const numbers = Buffer.alloc(16);
  return {
    env: { LD_PRELOAD: library, FSYNC_SHIM_FILE: countersFile },
    count() {
      readSync(file, numbers, 0, 16, 0);
      return Number(numbers.readBigUInt64LE(0) + numbers.readBigUInt64LE(8));
    },
    slowDown(milliseconds) {
      const micros = Buffer.alloc(8);
      micros.writeBigUInt64LE(BigInt(Math.round(milliseconds * 1000)));
      writeSync(file, micros, 0, 8, DELAY_OFFSET);
    },
    close: () => closeSync(file),
  };
}
