import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/**
 * All bytes of a file, or of standard input where the path is `-`. Throws the system's error for a file.
 *
 * Never by `readFileSync(0)`: a pipe that npx hands on does not block, so what comes late would be an error (EAGAIN).
 */
export function readInput(path: string): Promise<Buffer> {
  return path === '-' ? buffer(process.stdin) : readFile(path);
}
