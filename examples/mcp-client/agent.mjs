/** An MCP client whose calls of one tool go through the gate first. The server is a process of its own. */
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Permitry } from '@permitry/sdk';
import { protectClient } from '@permitry/sdk/mcp';

const permitry = new Permitry(); // PERMITRY_URL, and PERMITRY_KEY: the agent's key

/** Plays the approver: in a test project a secret key may decide. Denies refunds above 1000, with a reason. */
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY });
async function decide({ id, params }) {
  if (params.amount > 1000)
    await person.intents.deny(id, { reason: 'Above 1000, ask the customer’s account manager.' });
  else await person.intents.approve(id);
}

const client = new Client({ name: 'agent', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'] }));

const tools = protectClient(client, permitry, {
  action: (tool) => `payments.${tool}`,
  isProtected: (tool) => tool !== 'rates',
  onPending: (intent) => {
    console.log(`waiting       ${intent.approval_url}`);
    void decide(intent);
  },
});

const { content: rates } = await tools.callTool({ name: 'rates', arguments: {} });
console.log(`not protected  ${rates[0].text}`);

const order = `A-${Date.now()}`;
const approved = await tools.callTool({ name: 'refund', arguments: { order, amount: 120 } });
console.log(`the model read ${approved.content[0].text}`);
assert.match(approved.content[0].text, /^Refunded 120/);

const denied = await tools.callTool({ name: 'refund', arguments: { order, amount: 9000 } });
console.log(`the model read ${denied.content[0].text}`);
assert.equal(denied.isError, true);
assert.match(denied.content[0].text, /account manager/);

await client.close();
console.log('ok: one refund ran, the denied one did not');
