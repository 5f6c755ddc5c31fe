import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { BIN, cleanEnvironment, finished, freshDirectory } from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

const FOLDER = join(import.meta.dirname, '../../../packaging/github-action');

/** Starts one step of a workflow, as a runner does. */
function step(t: ServedGate, inputs: Record<string, string>) {
  const folder = freshDirectory();
  mkdirSync(folder);
  const [output, summary] = [join(folder, 'output'), join(folder, 'summary')];
  for (const file of [output, summary]) writeFileSync(file, '');
  const child = spawn('bash', [join(FOLDER, 'request.sh')], {
    env: cleanEnvironment({
      PERMITRY_URL: t.url,
      PERMITRY_KEY: t.first.agent_key,
      ASK_COMMAND: `${process.execPath} ${BIN}`,
      // Longer than any test takes.
      ASK_WAIT: '10m',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...inputs,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that everything it started ends with it.
    detached: true,
  });
  const ended = finished(child);
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
  return {
    ended,
    summary: () => readFileSync(summary, 'utf8'),
    outputs: () =>
      Object.fromEntries(
        readFileSync(output, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      ) as Record<string, string>,
  };
}

describe('the GitHub Action', () => {
  test('shows the link while it waits, masks the permit, and passes it on', async () => {
    const t = await serveGate();
    const ann = await t.addBrowser('ann@example.org', 'approver');
    const params = { branch: 'a"; $(touch owned) \\ ë', n: 1.5 };
    const running = step(t, {
      ASK_ACTION: 'deploy.production',
      ASK_PARAMS: JSON.stringify(params),
      ASK_REASON: '--json "quoted"\n::error::not a command',
      ASK_APPROVERS: 'role:approver',
    });
    let id = '';
    await expect.poll(running.summary).toContain('/approve/');
    const { data } = await t.get<{ data: { id: string }[] }>(t.first.secret_key, '/console/inbox');
    id = data[0]?.id ?? '';
    expect(running.summary()).toContain(`/approve/${id})`);
    await t.approve(ann, id);

    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const outputs = running.outputs();
    expect(outputs).toMatchObject({ 'intent-id': id, status: 'approved' });
    const [mask, ...rest] = stdout.split('\n').filter((line) => line.includes(outputs.permit ?? '?'));
    expect([mask, rest]).toEqual([`::add-mask::${outputs.permit}`, []]);
    expect(running.summary()).toContain('is **approved**');
    const used = { token: outputs.permit, action: 'deploy.production', params, consume: true };
    expect(await t.post(t.first.verifier_key, '/v1/permits/validate', used)).toMatchObject({
      authorizes: true,
    });
  });

  test('fails with the decision, and treats no text from people as a command of the runner', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const running = step(t, { ASK_ACTION: 'deploy' });
    await expect.poll(running.summary).toContain('/approve/');
    const { data } = await t.get<{ data: { id: string }[] }>(ann, '/console/inbox');
    await t.post(ann, `/v1/intents/${data[0]?.id}/deny`, { reason: 'no\n::set-output name=x::y' });
    const { code, stdout } = await running.ended;
    expect(code).toBe(3);
    expect(running.outputs()).toMatchObject({ status: 'denied', permit: '' });
    expect(stdout).not.toMatch(/^::set-output/m);

    const over = step(t, { ASK_ACTION: 'deploy', ASK_WAIT: '0s' });
    expect((await over.ended).code).toBe(5);
    expect(over.outputs()).toMatchObject({ status: 'pending', permit: '' });
    const bad = step(t, { ASK_ACTION: 'deploy', ASK_PARAMS: '{"a":1,"a":2}' });
    expect((await bad.ended).code).toBe(2);
    expect(bad.outputs()).toEqual({ '': undefined });
  });

  test('accepts parameters as long as an input can be', async () => {
    const t = await serveGate();
    await t.putPolicy([{ name: 'free', match: { action: 'free' }, effect: 'allow' }]);
    const long = step(t, { ASK_ACTION: 'free', ASK_PARAMS: `{"diff":"${'x'.repeat(131_000)}"}` });
    expect((await long.ended).code).toBe(0);
    expect(long.outputs()).toMatchObject({ status: 'approved' });
  });

  test('passes each input to the script through the environment, never in its text', () => {
    const action = parse(readFileSync(join(FOLDER, 'action.yml'), 'utf8')) as {
      inputs: object;
      outputs: Record<string, { value: string }>;
      runs: { steps: { run: string; env: Record<string, string> }[] };
    };
    const [only] = action.runs.steps;
    const handed = Object.values(only?.env ?? {}).map(
      (value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1],
    );
    expect(handed.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
    expect(only?.run).not.toContain('${{');
    const script = readFileSync(join(FOLDER, 'request.sh'), 'utf8');
    for (const name of Object.keys(only?.env ?? {}).filter((name) => name.startsWith('ASK_')))
      expect(script).toContain(name);
    for (const name of Object.keys(action.outputs)) expect(script).toContain(`${name}=%s`);
  });
});
