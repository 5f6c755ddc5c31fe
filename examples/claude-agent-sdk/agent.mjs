/**
 * The calls of the Claude Agent SDK to `canUseTool` and its hooks. The SDK itself starts Claude Code and talks to its
 * vendor, so a stand-in makes the calls here, in the same order. Pass `gate` to the real `query()` in the same way.
 */
import assert from 'node:assert/strict';
import { Permitry } from '@permitry/sdk';
import { createAgentToolGate } from '@permitry/sdk/claude-agent-sdk';

const permitry = new Permitry(); // PERMITRY_URL, and PERMITRY_KEY: the agent's key

/** Plays the approver: in a test project a secret key may decide. Denies forced pushes, with a reason. */
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY });
async function decide({ id, params }) {
  if (params.command.includes('--force'))
    await person.intents.deny(id, { reason: 'Never by force: open a pull request.' });
  else await person.intents.approve(id);
}

const gate = createAgentToolGate(permitry, {
  action: (tool) => `agent.${tool}`,
  onPending: (intent) => {
    console.log(`waiting       ${intent.approval_url}`);
    void decide(intent);
  },
});

const ran = [];
/** The part of `query({ prompt, options: { canUseTool, hooks } })` that handles one use of a tool. */
async function useTool({ canUseTool, hooks }, tool_name, tool_input, toolUseID) {
  const { signal } = new AbortController();
  const answer = await canUseTool(tool_name, tool_input, { signal, toolUseID });
  if (answer.behavior === 'deny') return answer.message;
  ran.push(answer.updatedInput.command);
  const input = { hook_event_name: 'PostToolUse', tool_name, tool_input, tool_use_id: toolUseID };
  for (const { hooks: each } of hooks.PostToolUse)
    for (const hook of each) await hook(input, toolUseID, { signal });
  return 'Everything up-to-date';
}

for (const command of ['git push', 'git push --force']) {
  const options = { canUseTool: gate.canUseTool, hooks: gate.hooks };
  const read = await useTool(options, 'Bash', { command }, `toolu_${crypto.randomUUID()}`);
  console.log(`the model read ${read}`);
  assert.match(read, command.includes('--force') ? /open a pull request/ : /up-to-date/);
}
assert.deepEqual(ran, ['git push']);
console.log('ok: one command ran, the denied one did not');
