import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/**
 * All bytes of a file, or of standard input where the path is `-`. For a file, throws the system's error.
 *
 * Never uses `readFileSync(0)`: a pipe from npx does not block, so data that comes late would cause an error (EAGAIN).
 */
export function readInput(path: string): Promise<Buffer> {
  return path === '-' ? buffer(process.stdin) : readFile(path);
}
