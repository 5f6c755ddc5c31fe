/** A service that refunds only with a permit, in Fastify, and what an agent gets from it. */
import assert from 'node:assert/strict';
import { Permitry } from '@permitry/sdk';
import { permitGuard, permitOf } from '@permitry/sdk/fastify';
import fastify from 'fastify';

const ACTION = 'payments.refund';
const executor = new Permitry({ apiKey: process.env.PERMITRY_VERIFIER_KEY });
const agent = new Permitry(); // PERMITRY_URL, and PERMITRY_KEY: the agent’s key
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY }); // a secret key may decide in a test project

const refunded = [];
const app = fastify({ forceCloseConnections: true });
app.post('/refunds', {
  schema: {
    body: {
      type: 'object',
      required: ['order', 'amount'],
      properties: { order: { type: 'string' }, amount: { type: 'number' } },
    },
  },
  preHandler: permitGuard({ action: ACTION, params: (request) => request.body, client: executor }),
  handler: async (request) => {
    const { params, verification } = permitOf(request);
    refunded.push(params);
    return { refunded: params.amount, approved_by: verification.approved_by };
  },
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });

/** What an agent does: sends a request, waits, and passes the permit to the executor. */
async function ask(params) {
  const { id } = await agent.intents.create({ action: ACTION, params });
  await person.intents.approve(id);
  const { permit } = await agent.intents.wait(id);
  return { id, token: permit.token };
}

async function send(token, params) {
  const response = await fetch(`${url}/refunds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Permit ${token}` } : {}) },
    body: JSON.stringify(params),
  });
  const answer = await response.json();
  console.log(response.status, JSON.stringify(answer));
  return { status: response.status, answer };
}

const params = { order: `A-${Date.now()}`, amount: 120 };
const { id, token } = await ask(params);

assert.equal((await send(undefined, params)).status, 403); // permit_required
assert.equal((await send(token, { ...params, amount: 9000 })).answer.error.reason, 'params_mismatch');
assert.equal((await send(token, params)).status, 200);
assert.equal((await send(token, params)).answer.error.reason, 'already_used');
assert.deepEqual(refunded, [params]);

let intent = await agent.intents.get(id);
while (intent.outcome === null) intent = await agent.intents.get(id); // reported once the response has ended
assert.equal(intent.outcome, 'succeeded');
console.log('ok: it ran once, with the parameters that were approved, and the gate knows that it succeeded');
await app.close();
