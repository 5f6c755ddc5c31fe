/** A separate thread for the token, because calls into it block. Its library is loaded only here. */
import { parentPort, workerData } from 'node:worker_threads';
import koffi from 'koffi';
import { Cryptoki } from './cryptoki.ts';
import { TokenSession } from './token-session.ts';
import type { TokenCall, TokenWorkerData } from './token-thread.ts';

const { module, tokenLabel, pin } = workerData as TokenWorkerData;
let session: TokenSession | undefined;

function opened(): TokenSession {
  try {
    session ??= new TokenSession(new Cryptoki(koffi, module), tokenLabel, pin);
    return session;
  } catch (error) {
    throw new Error(`the module ${module} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

parentPort?.on('message', ({ number, call, args }: { number: number; call: TokenCall; args: unknown[] }) => {
  try {
    const token = opened();
    parentPort?.postMessage({ number, value: Reflect.apply(token[call], token, args) });
  } catch (error) {
    parentPort?.postMessage({ number, problem: error instanceof Error ? error.message : String(error) });
  }
});
