/** Cases particular to one adapter, and calls that cannot be sent to the gate at all. */
import { generateText, stepCountIs } from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { NotRunError, protectTools } from '../../src/adapters/ai.ts';
import { createAgentToolGate } from '../../src/adapters/claude-agent-sdk.ts';
import { createGraphGate } from '../../src/adapters/langgraph.ts';
import { protectClient } from '../../src/adapters/mcp.ts';
import { createAgentGate } from '../../src/adapters/openai-agents.ts';
import type { Intent } from '../../src/index.ts';
import { aiModel, refundTool } from './rigs.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.served.close());

const { signal } = new AbortController();

describe('a tool’s parameters', () => {
  it.each([
    ['a date', { at: new Date(0) }],
    ['an instance', { at: new (class Amount {})() }],
    ['not a number', { amount: Number.NaN }],
    ['half a character', { name: '\ud800' }],
    ['no object', [1, 2]],
  ])('are not declared, approved or run when they hold %s', async (_, input) => {
    const execute = vi.fn();
    const gate = protectTools(stage.agent, { odd: { inputSchema: z.any(), execute } });
    const run = gate.tools.odd.execute as unknown as (input: unknown, options: object) => Promise<unknown>;
    await expect(run(input, { toolCallId: 'call' })).rejects.toBeInstanceOf(NotRunError);
    expect(await gate.toolApproval.odd(input, { toolCallId: 'call' })).toMatchObject({ type: 'denied' });
    expect(execute).not.toHaveBeenCalled();
    expect(await stage.intents('odd')).toEqual([]);
  });

  it('are those that were approved, even if the original object changes', async () => {
    const execute = vi.fn(async (_input: object) => 'done');
    const input = { amount: 50 };
    const gate = protectTools(
      stage.agent,
      { altered: { execute } },
      {
        onPending: (intent) => {
          input.amount = 5_000_000;
          stage.approve(intent);
        },
      },
    );
    const run = gate.tools.altered.execute as unknown as (input: object, options: object) => Promise<unknown>;
    await run(input, { toolCallId: 'call_altered' });
    expect(execute.mock.calls[0]?.[0]).toEqual({ amount: 50 });
  });

  it('belong to the same call after a store has changed the order of their members', async () => {
    const gate = protectTools(
      stage.agent,
      { ordered: { execute: () => 'done' } },
      { whenPending: 'pause', scope: 'ordered' },
    );
    await gate.toolApproval.ordered({ amount: 50, order: 'A' }, { toolCallId: 'call' });
    expect(await gate.toolApproval.ordered({ order: 'A', amount: 50 }, { toolCallId: 'call' })).toMatchObject(
      {
        type: 'user-approval',
      },
    );
    expect(await stage.intents('ordered')).toHaveLength(1);
  });
});

it('the same call id in two scopes means two calls', async () => {
  const ask = (scope: string) =>
    protectTools(
      stage.agent,
      { scoped: { execute: () => 'done' } },
      { whenPending: 'pause', scope },
    ).toolApproval.scoped({ amount: 50 }, { toolCallId: 'call_1' });
  await Promise.all([ask('one'), ask('two'), ask('two').catch(() => undefined)]);
  expect(await stage.intents('scoped')).toHaveLength(2);
});

describe('two conversations whose models use the same id for their first call', () => {
  const INPUT = { order: 'A-1', amount: 50 };

  it('share no approval in the AI SDK, even with one gate and the same prompt', async () => {
    const execute = vi.fn(() => 'refunded');
    const asked: Intent[] = [];
    const gate = protectTools(
      stage.agent,
      { refund: refundTool(execute) },
      { action: 'alike.ai', onPending: (intent) => void asked.push(intent) },
    );
    const converse = () =>
      generateText({
        model: aiModel(INPUT, 'functions.refund:0'),
        prompt: 'Refund it.',
        tools: gate.tools,
        toolApproval: gate.toolApproval,
        stopWhen: stepCountIs(3),
      });
    const both = [converse(), converse()];
    await expect.poll(() => asked).toHaveLength(2);
    const [first, second] = asked;
    await stage.owner.intents.approve(first?.id ?? '');
    await Promise.race(both);
    expect(execute).toHaveBeenCalledOnce();
    await stage.owner.intents.deny(second?.id ?? '');
    await Promise.all(both);
    expect(execute).toHaveBeenCalledOnce();
    expect(await stage.intents('alike.ai')).toHaveLength(2);
  });

  it('share no approval in the Claude Agent SDK', async () => {
    const gate = createAgentToolGate(stage.agent, { action: 'alike.claude', onPending: stage.approve });
    const ask = () => gate.canUseTool('Bash', { ...INPUT }, { signal, toolUseID: 'Bash:0' });
    expect(await ask()).toMatchObject({ behavior: 'allow' });
    expect(await ask()).toMatchObject({ behavior: 'allow' });
    expect(await stage.intents('alike.claude')).toHaveLength(2);
  });

  it('share no approval in LangGraph, with or without threads', async () => {
    const gate = createGraphGate(stage.agent, { action: 'alike.graph', onPending: stage.approve });
    const run = vi.fn(() => 'done');
    const refund = gate.protect('refund', run);
    const toolCall = { id: 'functions.refund:0' };
    for (const thread_id of ['one', 'two', undefined, undefined])
      expect(await refund(INPUT, { toolCall, configurable: { thread_id } })).toBe('done');
    expect(await stage.intents('alike.graph')).toHaveLength(4);
  });

  it('need a scope when calls are resumed later', async () => {
    const tools = { refund: refundTool(() => 'refunded') };
    expect(() => protectTools(stage.agent, tools, { whenPending: 'pause' })).toThrow(TypeError);
    expect(() => createAgentGate(stage.agent, { scope: '' })).toThrow(TypeError);
    let conversation = 'one';
    const { toolApproval } = protectTools(stage.agent, tools, {
      action: 'alike.scoped',
      whenPending: 'pause',
      scope: () => conversation,
    });
    await toolApproval.refund(INPUT, { toolCallId: 'call_1' });
    conversation = 'two';
    await toolApproval.refund(INPUT, { toolCallId: 'call_1' });
    expect(await stage.intents('alike.scoped')).toHaveLength(2);
  });
});

it('a call without a decision within waitMs is withdrawn and does not run', async () => {
  const gate = createAgentToolGate(stage.agent, { waitMs: 50, action: 'impatient' });
  expect(await gate.canUseTool('Bash', { command: 'ls' }, { signal, toolUseID: 'toolu_1' })).toMatchObject({
    behavior: 'deny',
    message: 'impatient was not run: nobody has decided on it yet.',
  });
  expect(await stage.intents('impatient')).toMatchObject([{ status: 'denied' }]);
});

describe('the AI SDK adapter', () => {
  it('refuses to protect a tool that runs elsewhere', () => {
    expect(() => protectTools(stage.agent, { elsewhere: { inputSchema: z.any() } })).toThrow(TypeError);
  });

  it('returns the last value of a tool that yields, and reports it when the tool is done', async () => {
    const execute = async function* () {
      yield 'half';
      yield 'whole';
    };
    const gate = protectTools(stage.agent, { yielding: { execute } });
    const run = gate.tools.yielding.execute as unknown as (
      input: object,
      options: object,
    ) => Promise<unknown>;
    expect(await run({ amount: 5 }, { toolCallId: 'call_yield' })).toBe('whole');
    await stage.agent.reported();
    expect(await stage.intents('yielding')).toMatchObject([{ outcome: 'succeeded' }]);
  });
});

describe('the Claude Agent SDK adapter', () => {
  it('leaves unprotected tools to the program’s own callback, and denies them if there is none', async () => {
    const isProtected = (tool: string) => tool === 'Bash';
    const otherwise = vi.fn(async () => ({ behavior: 'allow' as const, updatedInput: { answer: 'yes' } }));
    const gate = createAgentToolGate(stage.agent, { isProtected, otherwise });
    expect(await gate.canUseTool('AskUserQuestion', {}, { signal })).toMatchObject({ behavior: 'allow' });
    const alone = createAgentToolGate(stage.agent, { isProtected });
    expect(await alone.canUseTool('AskUserQuestion', {}, { signal })).toMatchObject({ behavior: 'deny' });
    const hook = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {} };
    expect(await alone.preToolUse(hook, 'toolu_2', { signal })).toEqual({});
  });
});

describe('the LangGraph adapter', () => {
  it('does not interrupt for a call that nobody could resume', async () => {
    const interrupt = vi.fn();
    const run = vi.fn();
    const gate = createGraphGate(stage.agent, { interrupt });
    expect(await gate.protect('nameless', run)({ amount: 50 }, {})).toContain('without an id');
    expect(interrupt).not.toHaveBeenCalled();
    expect(run).not.toHaveBeenCalled();
  });
});

describe('a protected MCP client', () => {
  class FakeClient {
    readonly #calls: object[] = [];
    async callTool(call: { name: string; arguments?: Record<string, unknown> | undefined }): Promise<object> {
      this.#calls.push(call);
      return { isError: call.name === 'failing', content: [] };
    }
    calls(): object[] {
      return this.#calls;
    }
  }

  it('keeps its other methods, and calls unprotected tools as before', async () => {
    const client = new FakeClient();
    const tools = protectClient(client, stage.away, { isProtected: (name) => name !== 'search' });
    await tools.callTool({ name: 'search' });
    expect(tools.calls()).toEqual([{ name: 'search' }]);
    expect(tools).toBeInstanceOf(FakeClient);
  });

  it('reports a tool’s error result as failed, and passes it on', async () => {
    const client = new FakeClient();
    const tools = protectClient(client, stage.agent);
    expect(await tools.callTool({ name: 'failing', arguments: { amount: 1 } })).toEqual({
      isError: true,
      content: [],
    });
    await stage.agent.reported();
    expect(await stage.intents('failing')).toMatchObject([{ outcome: 'failed' }]);
  });
});
