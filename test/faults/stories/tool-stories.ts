/** Tool calls through the gateway while one gate is killed and started again. */
import { NoAnswer, Unavailable } from './chronicle.ts';
import { vote } from './intent-steps.ts';
import type { Storyteller } from './storyteller.ts';

/** A tool call is requested, approved, and resumed, and then runs. */
export async function approvedAndRun(t: Storyteller): Promise<void> {
  const marker = t.newName();
  const key = t.random.chance(0.7) ? t.cast.agentKey : t.cast.secretKey;
  const body = { tool: 'payments.refund', arguments: { charge: marker, amount: 12.5, currency: 'EUR' } };
  const asked = await t.tell('ask-tool', marker, { method: 'POST', path: GATEWAY, key, body }, [202]);
  const id = String(asked.body.intent_id);
  const { body: read } = (await t.client.ask({ method: 'GET', path: `/v1/intents/${id}`, key })) ?? gone();
  const intent = { id, action: body.tool, params: body.arguments, key, token: null };
  if (read.status !== 'pending') throw new Unavailable();
  await vote(t, intent, t.random.pick(t.cast.approvers), 'approve');
  const back = { connector_request_id: asked.body.connector_request_id };
  // Several simultaneous calls, as from programs that keep calling.
  await Promise.all(
    Array.from({ length: t.random.between(1, 3) }, () =>
      t.tell('run-tool', id, { method: 'POST', path: GATEWAY, key, body: back }, [200, 202]),
    ),
  );
}

const GATEWAY = '/api/mcp-gateway';

function gone(): never {
  throw new NoAnswer();
}
