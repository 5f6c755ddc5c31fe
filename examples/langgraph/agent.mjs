/** A LangGraph agent that is interrupted when a person must decide. Its model is scripted; everything else is real. */
import assert from 'node:assert/strict';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool } from '@langchain/core/tools';
import { Command, INTERRUPT, interrupt, isInterrupted, MemorySaver } from '@langchain/langgraph';
import { Permitry } from '@permitry/sdk';
import { createGraphGate } from '@permitry/sdk/langgraph';
import { createAgent } from 'langchain';
import { z } from 'zod';

const permitry = new Permitry(); // PERMITRY_URL, and PERMITRY_KEY: the agent's key

/** Plays the approver: in a test project a secret key may decide. Denies refunds above 1000, with a reason. */
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY });
async function decide({ id, params }) {
  if (params.amount > 1000)
    await person.intents.deny(id, { reason: 'Above 1000, ask the customer’s account manager.' });
  else await person.intents.approve(id);
}

const gate = createGraphGate(permitry, { action: 'payments.refund', interrupt });

const refunded = [];
const refund = tool(
  gate.protect('refund', async ({ order, amount }) => {
    refunded.push(order);
    return `Refunded ${amount} for ${order}.`;
  }),
  {
    name: 'refund',
    description: 'Refunds an order.',
    schema: z.object({ order: z.string(), amount: z.number() }),
  },
);

for (const args of [
  { order: `A-${Date.now()}`, amount: 120 },
  { order: `B-${Date.now()}`, amount: 9000 },
]) {
  const model = fakeModel()
    .respondWithTools([{ name: 'refund', args, id: `call_${args.order}` }])
    .respond(new AIMessage('Done.'));
  const agent = createAgent({ model, tools: [refund], checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: args.order } };

  let state = await agent.invoke({ messages: [{ role: 'user', content: 'Refund it.' }] }, config);
  while (isInterrupted(state)) {
    // Here a program may end, because the checkpointer keeps the thread. Meanwhile, somebody decides:
    for (const { value } of state[INTERRUPT]) {
      console.log(`interrupted   ${value.approval_url}`);
      await decide({ id: value.intent_id, params: value.params });
    }
    const resume = await gate.decisions(state[INTERRUPT]);
    state = await agent.invoke(new Command({ resume }), config);
  }

  const read = state.messages.find((message) => message.getType() === 'tool').content;
  console.log(`the model read ${read}`);
  assert.match(read, args.amount > 1000 ? /account manager/ : /^Refunded 120/);
}
assert.equal(refunded.length, 1);
console.log('ok: one refund ran, the denied one did not');
