/** An agent of the AI SDK whose tool runs only with a permit. Its model is scripted; everything else is real. */
import assert from 'node:assert/strict';
import { Permitry } from '@permitry/sdk';
import { protectTools } from '@permitry/sdk/ai';
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const permitry = new Permitry(); // PERMITRY_URL, and PERMITRY_KEY: the agent's key

/** Plays the approver: in a test project a secret key may decide. Denies refunds above 1000, with a reason. */
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY });
async function decide({ id, params }) {
  if (params.amount > 1000)
    await person.intents.deny(id, { reason: 'Above 1000, ask the customer’s account manager.' });
  else await person.intents.approve(id);
}

const refunded = [];
const refund = tool({
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  execute: async ({ order, amount }) => {
    refunded.push(order);
    return `Refunded ${amount} for ${order}.`;
  },
});

const gate = protectTools(
  permitry,
  { refund },
  {
    action: 'payments.refund',
    onPending: (intent) => {
      console.log(`waiting       ${intent.approval_url}`);
      void decide(intent);
    },
  },
);

/** Calls the tool once, then says what it read. */
function scriptedModel(input) {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      const output = last?.role === 'tool' ? last.content[0]?.output : undefined;
      return {
        content: output
          ? [{ type: 'text', text: output.reason ?? output.value }]
          : [
              {
                type: 'tool-call',
                toolCallId: `call_${input.order}`,
                toolName: 'refund',
                input: JSON.stringify(input),
              },
            ],
        finishReason: { unified: output ? 'stop' : 'tool-calls', raw: undefined },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        warnings: [],
      };
    },
  });
}

for (const input of [
  { order: `A-${Date.now()}`, amount: 120 },
  { order: `B-${Date.now()}`, amount: 9000 },
]) {
  const { text } = await generateText({
    model: scriptedModel(input),
    prompt: `Refund ${input.amount} for ${input.order}.`,
    tools: gate.tools,
    toolApproval: gate.toolApproval,
    stopWhen: stepCountIs(3),
  });
  console.log(`the model read ${text}`);
  assert.match(text, input.amount > 1000 ? /account manager/ : /^Refunded 120/);
}
assert.equal(refunded.length, 1);
console.log('ok: one refund ran, the denied one did not');
