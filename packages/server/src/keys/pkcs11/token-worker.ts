/** A thread of its own for the token: calls into it block, and its library is loaded nowhere else. */
import { parentPort, workerData } from 'node:worker_threads';
import { Cryptoki } from './cryptoki.ts';
import { TokenSession } from './token-session.ts';
import type { TokenRequest, TokenWorkerData } from './token-thread.ts';

const { module, tokenLabel, pin } = workerData as TokenWorkerData;
let session: TokenSession | undefined;

async function opened(): Promise<TokenSession> {
  if (session) return session;
  const { default: koffi } = await import('koffi').catch(() => {
    throw new Error('the package koffi is not installed; on this platform it may have to be built');
  });
  session = new TokenSession(loadModule(koffi), tokenLabel, pin);
  return session;
}

function loadModule(native: ConstructorParameters<typeof Cryptoki>[0]): Cryptoki {
  try {
    return new Cryptoki(native, module);
  } catch (error) {
    throw new Error(`the module ${module} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

async function answer(request: TokenRequest): Promise<unknown> {
  const token = await opened();
  switch (request.do) {
    case 'sign':
      return token.sign(request.id, Buffer.from(request.digest));
    case 'generate':
      return token.generate();
    case 'find':
      return token.find(request.wanted);
    case 'destroy':
      return token.destroy(request.id);
    case 'close':
      return token.close();
  }
}

parentPort?.on('message', async ({ number, request }: { number: number; request: TokenRequest }) => {
  try {
    parentPort?.postMessage({ number, value: await answer(request) });
  } catch (error) {
    parentPort?.postMessage({ number, problem: error instanceof Error ? error.message : String(error) });
  }
});
