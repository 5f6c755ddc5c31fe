import { type CallToolResult, isCallToolResult } from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { GatewayAnswer } from '../../gate/tools/gateway-answer.ts';
import type { Exchange } from './exchange.ts';
import { RESULT_TOOL } from './own-tools.ts';
import { toPlainName } from './plain-names.ts';

/** @param joined The time of the earlier call that this call joined. Null: it joined none. */
export function toCallResult(
  answer: GatewayAnswer,
  { plainNames }: Exchange,
  joined: Instant | null,
): CallToolResult {
  const result = toResult(answer, (name) => (plainNames ? toPlainName(name) : name));
  const { request } = answer;
  return {
    ...result,
    content: joined === null ? result.content : [...result.content, text(joinedTo(joined, answer))],
    _meta: {
      ...result._meta,
      'permitry/status': answer.kind,
      'permitry/intent_id': request.intentId,
      'permitry/connector_request_id': request.id,
      ...(joined === null ? {} : { 'permitry/joined': true }),
    },
  };
}

/** @param shown Returns the name under which the client knows a tool. */
function toResult(answer: GatewayAnswer, shown: (name: string) => string): CallToolResult {
  const { request } = answer;
  switch (answer.kind) {
    case 'executed':
      return toToolsResult(answer.result, request.resultForm, answer.message, false);
    case 'failed':
      return toToolsResult(answer.result, request.resultForm, answer.message, true);
    case 'unknown':
      return {
        ...said(
          { status: 'unknown', ...idsOf(answer) },
          `${answer.message ?? 'The tool was started, and it is not known whether it did it.'} It is not retried automatically. ` +
            'Do not call it again before somebody has checked whether it was done.',
        ),
        isError: true,
      };
    case 'pending':
      return toPending(answer, shown);
    case 'executing':
      return said(
        { status: 'executing', ...idsOf(answer) },
        `${request.toolName} is running and takes longer than an answer is held. Call ${shown(RESULT_TOOL)} with ` +
          `connector_request_id "${request.id}" for its result. Do not call ${shown(request.toolName)} again for it.`,
      );
  }
}

function toPending(answer: GatewayAnswer, shown: (name: string) => string): CallToolResult {
  const { request, intent } = answer;
  return said(
    {
      status: 'pending',
      ...idsOf(answer),
      approval_url: intent.approvalUrl,
      expires_at: intent.intent.expiresAt,
    },
    `Nothing has been done yet: a person has to approve this call first. The approvers can decide at ` +
      `${intent.approvalUrl} until ${intent.intent.expiresAt}. Tell the user. Then call ${shown(RESULT_TOOL)} with ` +
      `connector_request_id "${request.id}": once the call is approved, that runs it and answers with its result. ` +
      `Calling ${shown(request.toolName)} with the same arguments meanwhile joins this request and does not ask again.`,
  );
}

function toToolsResult(
  result: JsonObject | null,
  form: 'json' | 'mcp',
  message: string | null,
  isError: boolean,
): CallToolResult {
  if (result !== null && form === 'mcp' && isCallToolResult(result))
    return isError ? { ...result, isError } : result;
  const content = [
    ...(message === null ? [] : [text(message)]),
    ...(result === null ? [] : [text(JSON.stringify(result))]),
  ];
  return {
    content: content.length > 0 ? content : [text(isError ? 'The tool failed.' : 'Done.')],
    ...(result === null ? {} : { structuredContent: result }),
    ...(isError ? { isError } : {}),
  };
}

function joinedTo(at: Instant, { kind, request }: GatewayAnswer): string {
  const once = kind === 'pending' ? 'It will be run once, not twice.' : 'It was run once for both.';
  return (
    `Permitry: this call is the one with the same arguments that you made at ${at} and that waited for approval. ${once} ` +
    `If you want to run ${request.toolName} a second time, call it again when this call is finished.`
  );
}

function idsOf({ request }: GatewayAnswer): JsonObject {
  return { connector_request_id: request.id, intent_id: request.intentId };
}

function said(structuredContent: JsonObject, sentence: string): CallToolResult {
  return { content: [text(sentence)], structuredContent };
}

function text(content: string): { type: 'text'; text: string } {
  return { type: 'text', text: content };
}
