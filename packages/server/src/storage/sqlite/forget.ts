import { Worker } from 'node:worker_threads';
import { serviceUnavailable } from './sqlite-error.ts';

export interface ForgetInput {
  file: string;
  /** How long to wait for others who use the database. */
  timeoutMs: number;
  /** Larger files are not built anew: writers would wait too long. */
  compactBelowBytes: number;
}

/**
 * Lets what was overwritten or deleted leave the files. `secure_delete` has overwritten it where it stood; but the
 * write-ahead log keeps earlier contents of pages, and a page that was split may keep some in its unused part. So the
 * log is emptied, and a file that is not too large is built anew.
 *
 * On a thread and over a connection of its own: this one goes on, its writers wait their turn.
 *
 * @throws GateError `service_unavailable` when others keep the database in use longer than this
 */
export async function forget(input: ForgetInput): Promise<void> {
  const worker = new Worker(new URL('./forget-worker.ts', import.meta.url), {
    workerData: input,
    name: 'permitry-forget',
  });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
    });
  } catch (cause) {
    throw serviceUnavailable(cause);
  }
}
