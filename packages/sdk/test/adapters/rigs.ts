/** A tool that a model of each framework calls once, inside the framework's own loop. */

import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool as langchainTool } from '@langchain/core/tools';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { Agent, tool as agentsTool, Runner, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { tool as aiTool, generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { createAgent } from 'langchain';
import { z } from 'zod';
import { protectTools } from '../../src/adapters/ai.ts';
import { createAgentToolGate } from '../../src/adapters/claude-agent-sdk.ts';
import { createGraphGate } from '../../src/adapters/langgraph.ts';
import { protectClient } from '../../src/adapters/mcp.ts';
import { createAgentGate } from '../../src/adapters/openai-agents.ts';
import type { ToolGateOptions } from '../../src/adapters/tool-gate-options.ts';
import type { Permitry } from '../../src/index.ts';

export type Refund = { order: string; amount: number; currency?: string };

export interface RigCall {
  client: Permitry;
  options: ToolGateOptions & { scope: string };
  input: Refund;
  callId: string;
  execute: (input: Refund) => unknown;
}

export interface Rig {
  /** Whether the framework gives its calls ids, so that a test can submit one twice. */
  namesCalls: boolean;
  /** Returns everything that the model was told after it called the tool. */
  call(call: RigCall): Promise<string>;
}

/** Every framework parses this itself. A default that the model omits is part of what runs. */
const SCHEMA = z.object({ order: z.string(), amount: z.number(), currency: z.string().default('EUR') });

export const RIGS: Record<string, Rig> = {
  'AI SDK': { namesCalls: true, call: callWithAiSdk },
  'AI SDK, pausing': { namesCalls: true, call: callWithPausingAiSdk },
  'OpenAI Agents': { namesCalls: true, call: callWithOpenAiAgents },
  LangGraph: { namesCalls: true, call: (call) => callWithLangGraph(call, false) },
  'LangGraph, interrupted': { namesCalls: true, call: (call) => callWithLangGraph(call, true) },
  'Claude Agent SDK': { namesCalls: true, call: (call) => callWithClaude(call, 'canUseTool') },
  'Claude Agent SDK, by hook': { namesCalls: true, call: (call) => callWithClaude(call, 'preToolUse') },
  MCP: { namesCalls: false, call: callWithMcp },
};

setTracingDisabled(true);

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls the tool once and then reports that it is done. It answers in one piece or as a stream. */
export function aiModel(input: Refund, callId: string): MockLanguageModelV4 {
  const call = {
    type: 'tool-call' as const,
    toolCallId: callId,
    toolName: 'refund',
    input: JSON.stringify(input),
  };
  const finish = (isAnswered: boolean) => ({
    finishReason: { unified: isAnswered ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
    usage: USAGE,
  });
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const isAnswered = prompt.at(-1)?.role === 'tool';
      return {
        content: isAnswered ? [{ type: 'text', text: 'done' }] : [call],
        ...finish(isAnswered),
        warnings: [],
      };
    },
    doStream: async ({ prompt }) => {
      const isAnswered = prompt.at(-1)?.role === 'tool';
      const parts = isAnswered ? [] : [call];
      return {
        stream: simulateReadableStream({
          chunks: [
            { type: 'stream-start' as const, warnings: [] },
            ...parts,
            { type: 'finish' as const, ...finish(isAnswered) },
          ],
        }),
      };
    },
  });
}

export function refundTool(execute: RigCall['execute']) {
  return aiTool({ description: 'Refunds an order.', inputSchema: SCHEMA, execute });
}

async function callWithAiSdk({ client, options, input, callId, execute }: RigCall): Promise<string> {
  const gate = protectTools(client, { refund: refundTool(execute) }, options);
  const model = aiModel(input, callId);
  await generateText({
    model,
    prompt: 'Refund it.',
    tools: gate.tools,
    toolApproval: gate.toolApproval,
    stopWhen: stepCountIs(3),
  });
  return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt.at(-1));
}

async function callWithPausingAiSdk({ client, options, input, callId, execute }: RigCall): Promise<string> {
  const gate = protectTools(client, { refund: refundTool(execute) }, { ...options, whenPending: 'pause' });
  const model = aiModel(input, callId);
  const settings = {
    model,
    tools: gate.tools,
    toolApproval: gate.toolApproval,
    stopWhen: stepCountIs(3),
  };
  const messages = [{ role: 'user' as const, content: 'Refund it.' }];
  const first = await generateText({ ...settings, messages });
  const answers = await gate.approvalResponses(first.content);
  if (answers.length > 0) {
    await generateText({
      ...settings,
      messages: [...messages, ...first.responseMessages, { role: 'tool', content: answers }],
    });
  }
  return JSON.stringify(model.doGenerateCalls.at(-1)?.prompt.at(-1));
}

async function callWithOpenAiAgents({ client, options, input, callId, execute }: RigCall): Promise<string> {
  const gate = createAgentGate(client, options);
  const refund = agentsTool(
    gate.protect({ name: 'refund', description: 'Refunds an order.', parameters: SCHEMA, execute }),
  );
  const model = new ScriptedModel([
    [functionCall('refund', { ...input }, { callId })],
    [assistantMessage('done')],
  ]);
  const agent = new Agent({ name: 'agent', model, tools: [refund] });
  const runner = new Runner({ tracingDisabled: true });
  let result = await runner.run(agent, 'Refund it.');
  while (result.interruptions.length > 0) {
    await gate.answerInterruptions(result);
    result = await runner.run(agent, result.state);
  }
  return JSON.stringify(model.lastCall?.request.input);
}

async function callWithLangGraph(
  { client, options, input, callId, execute }: RigCall,
  interrupts: boolean,
): Promise<string> {
  const gate = createGraphGate(client, { ...options, ...(interrupts ? { interrupt } : {}) });
  const refund = langchainTool(
    gate.protect('refund', (params: Refund) => execute(params)),
    { name: 'refund', description: 'Refunds an order.', schema: SCHEMA },
  );
  const model = fakeModel()
    .respond(new AIMessage({ content: '', tool_calls: [{ name: 'refund', args: input, id: callId }] }))
    .respond(new AIMessage('done'));
  const graph = createAgent({
    model,
    tools: [refund],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: 'thread' } };
  let state: GraphState = await graph.invoke({ messages: [{ role: 'user', content: 'Refund it.' }] }, config);
  while (state.__interrupt__) {
    const resume = await gate.decisions(state.__interrupt__);
    state = await graph.invoke(new Command({ resume }), config);
  }
  return JSON.stringify(state.messages.filter((message) => message.getType() === 'tool'));
}

interface GraphState {
  messages: BaseMessage[];
  __interrupt__?: { id?: string; value?: unknown }[];
}

/** Calls the tool as the SDK does: asks, runs with the returned input, and calls the hooks. */
async function callWithClaude(
  { client, options, input: given, callId, execute }: RigCall,
  by: 'canUseTool' | 'preToolUse',
): Promise<string> {
  const gate = createAgentToolGate(client, options);
  const input = SCHEMA.parse(given);
  const { signal } = new AbortController();
  const context = { signal, toolUseID: callId };
  const toolUse = { tool_name: 'refund', tool_input: input, tool_use_id: callId };
  let allowed: Record<string, unknown> | undefined;
  let message: string | undefined;
  if (by === 'canUseTool') {
    const answer = await gate.canUseTool('refund', input, context);
    if (answer.behavior === 'allow') allowed = answer.updatedInput;
    else message = answer.message;
  } else {
    const { hookSpecificOutput: said } = await gate.preToolUse(
      { hook_event_name: 'PreToolUse', ...toolUse },
      callId,
      { signal },
    );
    if (said?.permissionDecision === 'allow') allowed = said.updatedInput;
    else message = said?.permissionDecisionReason;
  }
  if (allowed === undefined) return message ?? '';
  const tell = (event: 'PostToolUse' | 'PostToolUseFailure') =>
    gate.hooks[event][0]?.hooks[0]?.({ hook_event_name: event, ...toolUse }, callId, { signal });
  try {
    const result = await execute(allowed as Refund);
    await tell('PostToolUse');
    return JSON.stringify(result);
  } catch (error) {
    await tell('PostToolUseFailure');
    return String(error);
  }
}

async function callWithMcp({ client: permitry, options, input, execute }: RigCall): Promise<string> {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  server.registerTool(
    'refund',
    { description: 'Refunds an order.', inputSchema: SCHEMA },
    async (params) => ({
      content: [{ type: 'text', text: JSON.stringify(await execute(params)) }],
    }),
  );
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await Promise.all([server.connect(far), client.connect(near)]);
  try {
    const tools = protectClient(client, permitry, options);
    const { content } = await tools.callTool({ name: 'refund', arguments: SCHEMA.parse(input) });
    return JSON.stringify(content);
  } finally {
    await client.close();
    await server.close();
  }
}
