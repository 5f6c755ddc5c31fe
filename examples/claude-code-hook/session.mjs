/** Plays Claude Code: reads .claude/settings.json, and runs its hooks with the JSON that Claude Code would send. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Permitry } from '@permitry/sdk';

const { hooks } = JSON.parse(readFileSync('.claude/settings.json', 'utf8'));

/** Plays the approver: in a test project a secret key may decide. Denies commands that remove files, with a reason. */
const person = new Permitry({ apiKey: process.env.PERMITRY_SECRET_KEY });
const waiting = async () => (await person.intents.list({ status: 'pending' })).data;
const earlier = (await waiting()).map(({ id }) => id);
async function decide(command) {
  for (;;) {
    const intent = (await waiting()).find(
      (one) => one.params.command === command && !earlier.includes(one.id),
    );
    if (intent === undefined) continue;
    console.log(`waiting       ${intent.approval_url}`);
    if (command.startsWith('rm '))
      await person.intents.deny(intent.id, { reason: 'Move them to /tmp instead.' });
    else await person.intents.approve(intent.id);
    return intent.id;
  }
}

async function runHook(event) {
  const matching = hooks[event.hook_event_name].find(({ matcher }) =>
    new RegExp(`^(${matcher})$`).test(event.tool_name),
  );
  const [{ command }] = matching.hooks;
  const env = { ...process.env, CLAUDE_PROJECT_DIR: process.cwd() };
  const child = spawn(command, { shell: true, env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(event));
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code, answer: said === '' ? undefined : JSON.parse(said).hookSpecificOutput };
}

for (const command of ['npm publish --dry-run', 'rm -rf build']) {
  const event = {
    session_id: crypto.randomUUID(),
    cwd: process.cwd(),
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: `toolu_${crypto.randomUUID()}`,
  };
  const [id, { code, answer }] = await Promise.all([decide(command), runHook(event)]);
  console.log(`${command}: ${answer.permissionDecision}. ${answer.permissionDecisionReason}`);
  assert.equal(code, 0);
  if (command.startsWith('rm ')) {
    assert.equal(answer.permissionDecision, 'deny');
    assert.match(answer.permissionDecisionReason, /Move them to \/tmp/);
    continue;
  }
  assert.equal(answer.permissionDecision, 'allow');
  await runHook({ ...event, hook_event_name: 'PostToolUse', tool_response: {} });
  assert.equal((await person.intents.get(id)).outcome, 'succeeded');
}
console.log('ok: one command was allowed and its outcome reported, the other was denied with its reason');
