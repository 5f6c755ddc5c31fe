/** An agent of the OpenAI Agents SDK whose tool runs only with a permit. Its model is scripted; everything else is real. */
import assert from 'node:assert/strict';
import { Agent, Runner, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { Permitry } from '@permitry/sdk';
import { createAgentGate } from '@permitry/sdk/openai-agents';
import { z } from 'zod';

const permitry = new Permitry(); // PERMITRY_URL, and PERMITRY_KEY: the agent's key

/** Plays the approver: in a test project a secret key may decide. Denies refunds above 1000, with a reason. */
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY });
async function decide({ id, params }) {
  if (params.amount > 1000)
    await person.intents.deny(id, { reason: 'Above 1000, ask the customer’s account manager.' });
  else await person.intents.approve(id);
}

const gate = createAgentGate(permitry, {
  action: 'payments.refund',
  scope: crypto.randomUUID(), // the conversation
  onPending: (intent) => console.log(`interrupted   ${intent.approval_url}`),
});

const refunded = [];
const refund = tool(
  gate.protect({
    name: 'refund',
    description: 'Refunds an order.',
    parameters: z.object({ order: z.string(), amount: z.number() }),
    execute: async ({ order, amount }) => {
      refunded.push(order);
      return `Refunded ${amount} for ${order}.`;
    },
  }),
);

for (const input of [
  { order: `A-${Date.now()}`, amount: 120 },
  { order: `B-${Date.now()}`, amount: 9000 },
]) {
  const model = new ScriptedModel([
    [functionCall('refund', input, { callId: `call_${input.order}` })],
    [assistantMessage('Done.')],
  ]);
  const agent = new Agent({ name: 'support', model, tools: [refund] });
  const runner = new Runner({ tracingDisabled: true });

  let result = await runner.run(agent, `Refund ${input.amount} for ${input.order}.`);
  while (result.interruptions.length > 0) {
    // Here a program may save result.state.toString() and end. Meanwhile, somebody decides:
    const { data } = await person.intents.list({ status: 'pending' });
    for (const intent of data) if (intent.params.order === input.order) await decide(intent);
    await gate.answerInterruptions(result);
    result = await runner.run(agent, result.state);
  }

  const read = model.lastCall.request.input.find(({ type }) => type === 'function_call_result').output.text;
  console.log(`the model read ${read}`);
  assert.match(read, input.amount > 1000 ? /account manager/ : /^Refunded 120/);
}
assert.equal(refunded.length, 1);
console.log('ok: one refund ran, the denied one did not');
