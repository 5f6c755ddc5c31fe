/**
 * Puts the gate in front of tools of the Vercel AI SDK, version 7 (`toolApproval`) and 6 (`needsApproval`).
 *
 * @module
 */
import { newIdempotencyKey } from '../calls/idempotency-key.ts';
import { DeniedError, type Permitry } from '../index.ts';
import { NotRunError } from './not-run-error.ts';
import { toModelError } from './to-model-error.ts';
import { type ToolCall, ToolGate } from './tool-gate.ts';
import { assertScoped, type Scope, type ToolGateOptions } from './tool-gate-options.ts';

export { NotRunError } from './not-run-error.ts';
export type { IntentDetails, Scope, ToolGateOptions } from './tool-gate-options.ts';

/** How tools are protected. */
export interface AiToolOptions extends ToolGateOptions {
  /**
   * The conversation, or a function that returns it. `whenPending: 'pause'` requires a conversation. With `wait` it is
   * optional, because the messages behind each call distinguish the calls.
   */
  scope?: Scope | undefined;
  /**
   * What happens to a call that needs a person's decision. `wait` (the default) holds the model's step until then.
   * `pause` turns the call into a `tool-approval-request`. `approvalResponses` answers that approval request after the
   * decision, in this web request or a later one.
   */
  whenPending?: 'wait' | 'pause';
}

/** The result of a rule for a call, in the AI SDK's form. */
export type ToolApprovalStatus =
  | { type: 'approved'; reason?: string }
  | { type: 'denied'; reason?: string }
  | { type: 'user-approval'; reason?: string };

/** An approval request among the parts of a result or of a message. */
export interface ToolApprovalRequestPart {
  type: 'tool-approval-request';
  approvalId: string;
  isAutomatic?: boolean;
  toolCall: { toolName: string; toolCallId: string; input: unknown };
}

/** The answer to such a request, for the next call's messages. */
export interface ToolApprovalResponsePart {
  type: 'tool-approval-response';
  approvalId: string;
  approved: boolean;
  reason?: string;
}

/** What the AI SDK passes along with a call. */
interface CallOptions {
  toolCallId: string;
  messages?: readonly object[] | undefined;
  abortSignal?: AbortSignal | undefined;
}

type Execute = (input: unknown, options: CallOptions) => unknown;

/** Protected tools, and the rules that decide about them. */
export interface ProtectedTools<T> {
  /** Pass these to the model instead of the originals. */
  tools: T;
  /** For `toolApproval` of version 7. Add rules for other tools next to it: `{ ...gate.toolApproval, other: … }`. */
  toolApproval: {
    [K in keyof T]: (
      input: unknown,
      options: { toolCallId: string; messages?: readonly object[] | undefined },
    ) => Promise<ToolApprovalStatus>;
  };
  /**
   * Answers the approval requests of these tools among the parts, each as the gate decided. Waits for requests that are
   * still pending. For `whenPending: 'pause'`.
   */
  approvalResponses(
    content: readonly object[],
    options?: { signal?: AbortSignal },
  ): Promise<ToolApprovalResponsePart[]>;
}

/**
 * Puts tools behind the gate. Each call is sent to the gate with the input that the tool will run with. The policy or a
 * person decides it, and its permit is used before `execute` runs, whatever the messages claim. The model gets a denial
 * and its reason as the tool's result.
 *
 * A tool that yields preliminary results returns only its last one. Tools without `execute` run elsewhere and cannot be
 * protected here.
 *
 * @example
 * const gate = protectTools(permitry, { refund: tool({ inputSchema, execute }) }, { action: 'payments.refund' });
 * await generateText({ model, prompt, tools: gate.tools, toolApproval: gate.toolApproval, stopWhen: stepCountIs(5) });
 * @throws TypeError for a tool without `execute`, and for `whenPending: 'pause'` without `scope`
 */
export function protectTools<T extends Record<string, object>>(
  client: Permitry,
  tools: T,
  options: AiToolOptions = {},
): ProtectedTools<T> {
  const gate = new ToolGate(client, options);
  const pauses = options.whenPending === 'pause';
  if (pauses) assertScoped(options.scope);
  const protectedTools: Record<string, object> = {};
  const toolApproval: Record<string, ProtectedTools<T>['toolApproval'][keyof T]> = {};
  for (const [toolName, tool] of Object.entries(tools)) {
    const execute = (tool as { execute?: Execute }).execute;
    if (typeof execute !== 'function')
      throw new TypeError(
        `${toolName} has no execute function: a tool that runs elsewhere cannot be protected here`,
      );
    protectedTools[toolName] = {
      ...tool,
      execute: protectExecute(gate, pauses, toolName, execute.bind(tool)),
      ...(pauses ? { needsApproval: needsApproval(gate, toolName) } : {}),
    };
    toolApproval[toolName] = approvalRule(gate, pauses, toolName);
  }
  return {
    tools: protectedTools as T,
    toolApproval: toolApproval as ProtectedTools<T>['toolApproval'],
    approvalResponses: (content, { signal } = {}) =>
      Promise.all(
        content.filter((part) => isOpenRequest(part, toolApproval)).map((part) => answer(gate, part, signal)),
      ),
  };
}

/** The boundary: every run goes through here. */
function protectExecute(gate: ToolGate, pauses: boolean, toolName: string, execute: Execute): Execute {
  return async (input, options) => {
    const { abortSignal: signal } = options;
    const call = await gate.prepare({ toolName, input, ...nameOf(options) });
    return gate.run(call, (params) => lastOf(execute(params, options)), { signal, mayWait: !pauses });
  };
}

async function lastOf(result: unknown): Promise<unknown> {
  const iterable = result as AsyncIterable<unknown> | null | undefined;
  if (typeof iterable?.[Symbol.asyncIterator] !== 'function') return result;
  let last: unknown;
  for await (const part of iterable) last = part;
  return last;
}

function approvalRule(gate: ToolGate, pauses: boolean, toolName: string) {
  return async (input: unknown, options: CallOptions): Promise<ToolApprovalStatus> => {
    try {
      const call = await gate.prepare({ toolName, input, ...nameOf(options) });
      const intent = pauses ? await gate.poll(call) : await gate.waitForApproval(call);
      return intent.status === 'pending'
        ? { type: 'user-approval', reason: `Waiting for approval: ${intent.approval_url}` }
        : { type: 'approved' };
    } catch (error) {
      return { type: 'denied', reason: toModelError(error, toolName).message };
    }
  };
}

const CONVERSATIONS = new WeakMap<object, string>();

/**
 * The rule for a call and the run of that call receive the same messages object. No other conversation receives it.
 * Names and texts are not enough: some models name their first call alike in each conversation, and two conversations
 * may begin with the same words.
 */
function nameOf({ toolCallId: callId, messages }: CallOptions): Pick<ToolCall, 'callId' | 'conversation'> {
  if (messages === undefined) return { callId };
  const conversation = CONVERSATIONS.get(messages) ?? newIdempotencyKey();
  CONVERSATIONS.set(messages, conversation);
  return { callId, conversation };
}

/**
 * Version 6 calls this, because it has no `toolApproval`. A denied call does not wait: `execute` returns the reason.
 */
function needsApproval(gate: ToolGate, toolName: string) {
  return async (input: unknown, { toolCallId: callId }: { toolCallId: string }): Promise<boolean> => {
    try {
      return (await gate.poll(await gate.prepare({ toolName, input, callId }))).status === 'pending';
    } catch (error) {
      return !(error instanceof DeniedError || error instanceof NotRunError);
    }
  };
}

function isOpenRequest(part: object, ours: object): part is ToolApprovalRequestPart {
  const { type, isAutomatic, toolCall } = part as Partial<ToolApprovalRequestPart>;
  return (
    type === 'tool-approval-request' && isAutomatic !== true && Object.hasOwn(ours, toolCall?.toolName ?? '')
  );
}

async function answer(
  gate: ToolGate,
  { approvalId, toolCall: { toolName, toolCallId: callId, input } }: ToolApprovalRequestPart,
  signal: AbortSignal | undefined,
): Promise<ToolApprovalResponsePart> {
  const call = await gate.prepare({ toolName, input, callId });
  try {
    await gate.waitForApproval(call, { signal });
    return { type: 'tool-approval-response', approvalId, approved: true };
  } catch (error) {
    if (!(error instanceof DeniedError)) throw error;
    return { type: 'tool-approval-response', approvalId, approved: false, reason: error.message };
  }
}
