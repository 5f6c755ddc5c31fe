import { type MessagePort, workerData } from 'node:worker_threads';
import { Client, types } from 'pg';
import type { Answer, Question } from './postgres-window.ts';

const { url, answered, port } = workerData as { url: string; answered: Int32Array; port: MessagePort };

types.setTypeParser(types.builtins.INT8, Number);
const client = new Client(url);
const connected = client.connect();

async function answer({ sql, values }: Question): Promise<Answer> {
  try {
    await connected;
    return { rows: (await client.query(sql, [...values])).rows };
  } catch (error) {
    return { error: String(error) };
  }
}

port.on('message', async (question: Question) => {
  port.postMessage(await answer(question));
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
});
