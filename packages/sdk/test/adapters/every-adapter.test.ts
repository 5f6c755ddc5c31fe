/** Holds for every adapter, with the framework's real package, a scripted model and a real gate. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ToolGateOptions } from '../../src/adapters/tool-gate-options.ts';
import { type Refund, RIGS, type RigCall } from './rigs.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.served.close());

let calls = 0;
/** A separate action for each test. */
function newAction(): string {
  calls += 1;
  return `test.refund-${calls}`;
}

const INPUT = { order: 'A-4711', amount: 120.5 };
/** The input plus the defaults of the tool's schema. */
const PARAMS = { ...INPUT, currency: 'EUR' };

function prepare(more: Partial<Omit<RigCall, 'options'>> & { options?: ToolGateOptions } = {}) {
  const ran: Refund[] = [];
  const action = newAction();
  const { execute = () => ({ refunded: true }), options, ...rest } = more;
  const call: RigCall = {
    client: stage.agent,
    input: INPUT,
    callId: `call_${action}`,
    ...rest,
    options: { action, ...options, scope: action },
    execute: (input) => {
      ran.push(input);
      return execute(input);
    },
  };
  return { call, ran, action };
}

// These tests wait for a time limit, so they run concurrently.
describe.concurrent.each(Object.entries(RIGS))('%s', (_, rig) => {
  it('does not run a call that expired without a decision', async () => {
    const { call, ran, action } = prepare({ options: { intent: { expires_in: 1 } } });
    expect(await rig.call(call)).toContain('Nobody decided on');
    expect(ran).toEqual([]);
    expect(await stage.intents(action)).toMatchObject([{ status: 'expired' }]);
  });

  it('does not run a call when the gate is unavailable', async () => {
    const { call, ran } = prepare({ client: stage.away });
    const heard = await rig.call(call).catch((error: Error) => error.message);
    expect(heard).toMatch(/approval gate could not be reached|There is no connection to/);
    expect(ran).toEqual([]);
  });
});

describe.each(Object.entries(RIGS))('%s', (_, rig) => {
  it('runs an approved call once, with exactly the approved parameters, and reports it', async () => {
    const { call, ran, action } = prepare({ options: { onPending: stage.approve } });
    expect(await rig.call(call)).toContain('refunded');
    expect(ran).toEqual([PARAMS]);
    await expect
      .poll(() => stage.intents(action))
      .toMatchObject([{ status: 'approved', outcome: 'succeeded', params: PARAMS }]);
  });

  it('runs a call that policy allows, without asking a person', async () => {
    const onPending = vi.fn();
    const { call, ran, action } = prepare({ input: { order: 'A-1', amount: 5 }, options: { onPending } });
    expect(await rig.call(call)).toContain('refunded');
    expect(ran).toHaveLength(1);
    expect(onPending).not.toHaveBeenCalled();
    await expect.poll(() => stage.intents(action)).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('does not run a call that a person denied, and the model reads the reason', async () => {
    const { call, ran, action } = prepare({
      options: { onPending: stage.deny('The order was never paid.') },
    });
    expect(await rig.call(call)).toContain('The order was never paid.');
    expect(ran).toEqual([]);
    expect(await stage.intents(action)).toMatchObject([{ status: 'denied', outcome: null }]);
  });

  it('does not run a call that policy denies, and the model reads the rule’s reason', async () => {
    const { call, ran } = prepare({ options: { action: 'database.drop' } });
    expect(await rig.call(call)).toContain('Not by an agent.');
    expect(ran).toEqual([]);
  });

  it('asks a person only once', async () => {
    const onPending = vi.fn(stage.approve);
    const { call, action } = prepare({ options: { onPending, intent: { risk_tier: 'high' } } });
    await rig.call(call);
    expect(onPending).toHaveBeenCalledOnce();
    expect(await stage.intents(action)).toHaveLength(1);
    expect(onPending.mock.calls[0]?.[0]).toMatchObject({ risk_tier: 'high', source_type: 'ai_agent' });
  });

  it('reports a tool that throws as failed', async () => {
    const { call, ran, action } = prepare({
      options: { onPending: stage.approve },
      execute: () => {
        throw new Error('the bank is closed');
      },
    });
    await rig.call(call).catch(() => undefined);
    expect(ran).toHaveLength(1);
    await expect.poll(() => stage.intents(action)).toMatchObject([{ outcome: 'failed' }]);
  });

  it('does not run a call when its agent was paused after the approval', async () => {
    const pause = (verb: string) =>
      stage.owner.request(
        'POST',
        `/v1/projects/${stage.served.projectId}/agents/${stage.served.first.agent_id}/${verb}`,
        {
          body: {},
        },
      );
    const { call, ran } = prepare({
      options: {
        onPending: (intent) => void pause('pause').then(() => stage.approve(intent)),
      },
    });
    const heard = await rig.call(call).catch((error: Error) => error.message);
    await pause('resume');
    expect(heard).toMatch(/paused/);
    expect(ran).toEqual([]);
  });

  it.runIf(rig.namesCalls)('runs a call once when it is submitted twice', async () => {
    const { call, ran, action } = prepare({ options: { onPending: stage.approve } });
    await rig.call(call);
    expect(await rig.call(call)).toContain('valid for one run');
    expect(ran).toHaveLength(1);
    expect(await stage.intents(action)).toHaveLength(1);
  });

  it.runIf(rig.namesCalls)('does not run a call that returns with other arguments', async () => {
    const { call, ran, action } = prepare({ options: { onPending: stage.approve } });
    await rig.call({ ...call, execute: () => ({ refunded: true }) });
    const heard = await rig
      .call({ ...call, input: { ...INPUT, amount: 999 } })
      .catch((error: Error) => error.message);
    expect(heard).toContain('differ from those that were requested');
    expect(ran).toEqual([]);
    expect(await stage.intents(action)).toHaveLength(1);
  });
});
