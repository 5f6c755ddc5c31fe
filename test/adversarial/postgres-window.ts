/**
 * Reads a PostgreSQL database synchronously, so that nothing else runs during the read, as when tests read SQLite's
 * file.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

export interface DatabaseWindow {
  /** @param sql A statement with `?` for each value. */
  all(sql: string, ...values: readonly (string | number)[]): Record<string, unknown>[];
  /** A number that changes with every commit. Undefined if the database has none. */
  version?(): unknown;
  close(): void;
}

/** The query for the thread, and the result. */
export interface Question {
  sql: string;
  values: readonly (string | number)[];
}
export type Answer = { rows: Record<string, unknown>[] } | { error: string };

const TIMEOUT_MS = 20_000;

/** @example openPostgresWindow(url).all('select id from intents where project_id = ?', 'prj_1') */
export function openPostgresWindow(url: string): DatabaseWindow {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./postgres-window-thread.ts', import.meta.url), {
    workerData: { url, answered, port: port2 },
    transferList: [port2],
  });
  worker.unref();
  port1.unref();
  return {
    all(sql, ...values) {
      let place = 0;
      const question: Question = { sql: sql.replaceAll('?', () => `$${++place}`), values };
      Atomics.store(answered, 0, 0);
      port1.postMessage(question);
      if (Atomics.wait(answered, 0, 0, TIMEOUT_MS) === 'timed-out') throw new Error(`no answer to ${sql}`);
      const answer = receiveMessageOnPort(port1)?.message as Answer;
      if ('error' in answer) throw new Error(`${answer.error}: ${sql}`);
      return answer.rows;
    },
    close() {
      port1.close();
      void worker.terminate();
    },
  };
}
