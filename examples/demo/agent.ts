/**
 * The agent: a separate process, plain fetch, and one key that can request and never decide. A real agent gets its
 * tasks from a model; this one gets them from the demo. The agent reports each of its calls, so that the demo can show
 * the call.
 */
import type { JsonObject } from '@permitry/protocol';
import { type Client, call, type Exchange } from './exchange.ts';

export type Errand =
  /** Sends a request, and waits for the decision if a person must decide. */
  | { kind: 'ask'; action: string; params: JsonObject }
  /** Any other call with the agent's key. */
  | { kind: 'call'; method: string; path: string; body: JsonObject };

/** `error`: the call had no answer at all. */
export type AgentReport =
  | { kind: 'ready' }
  | { kind: 'exchange'; exchange: Exchange }
  | { kind: 'error'; message: string };

const agent: Client = {
  who: 'agent',
  gateUrl: process.env.GATE_URL ?? '',
  key: process.env.AGENT_KEY ?? '',
};

async function ask(action: string, params: JsonObject): Promise<void> {
  const asked = await call(agent, 'POST', '/v1/intents', { action, params });
  report({ kind: 'exchange', exchange: asked });
  let { status } = asked.answer;
  while (status === 'pending') {
    // The gate holds this answer until somebody has decided: no polling, and no delay after the decision.
    const read = await call(agent, 'GET', `/v1/intents/${asked.answer.id}?wait=20`);
    status = read.answer.status;
    if (status !== 'pending') report({ kind: 'exchange', exchange: read });
  }
}

async function run(errand: Errand): Promise<void> {
  try {
    if (errand.kind === 'ask') return await ask(errand.action, errand.params);
    report({ kind: 'exchange', exchange: await call(agent, errand.method, errand.path, errand.body) });
  } catch (error) {
    report({ kind: 'error', message: error instanceof Error ? error.message : String(error) });
  }
}

function report(what: AgentReport): void {
  process.send?.(what);
}

process.on('message', (errand: Errand) => void run(errand));
// The demo process has ended.
process.on('disconnect', () => process.exit(0));
report({ kind: 'ready' });
