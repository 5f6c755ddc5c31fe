/** What the model reads if there is no result of the tool itself. */
import type { JsonObject } from '@permitry/protocol';
import { DeniedError, type Intent, PermitryError } from '@permitry/sdk';
import { RESULT_TOOL } from './own-tools.ts';

export function pendingResult(
  { id, approval_url: url, expires_at: until }: Intent,
  tool: string,
): JsonObject {
  return said(
    { status: 'pending', intent_id: id, approval_url: url, expires_at: until },
    `Nothing has been done yet: a person has to approve this call first. The approvers can decide at ${url} until ` +
      `${until}. Tell the user. Then call ${RESULT_TOOL} with intent_id "${id}": once the call is approved, that runs ` +
      `it and answers with its result. Calling ${tool} with the same arguments meanwhile joins this request and does ` +
      'not ask again.',
  );
}

export function deniedResult(intent: Intent): JsonObject {
  const { message, reason } = new DeniedError(intent);
  return failed({ status: intent.status, intent_id: intent.id, reason }, message);
}

/** The gate refused the call, or could not be reached. Nothing has run. */
export function refusedResult(error: unknown, ownCode = 'gate_unreachable'): JsonObject {
  const code = error instanceof PermitryError ? error.code : ownCode;
  const fields = error instanceof PermitryError ? error.fields : [];
  const lines = fields.map(({ path, message }) => `${path}: ${message}`);
  return failed({ status: 'refused', code }, [`Not run: ${messageOf(error)}`, ...lines].join('\n'));
}

export function unknownResult(intentId: string): JsonObject {
  return failed(
    { status: 'unknown', intent_id: intentId },
    'The server of this tool ended during the call, and it is not known whether the tool did it. The call is not retried ' +
      'automatically. Do not call the tool again before somebody has checked whether it was done.',
  );
}

/** The server ended after the permit was used, and before it received the call. */
export function notSentResult(intentId: string): JsonObject {
  return failed(
    { status: 'failed', intent_id: intentId },
    'The server of this tool ended before the call was sent to it, so nothing was done. The approval is used up. Once ' +
      'the server runs again, the call needs a new approval.',
  );
}

export function withdrawnResult({ id }: Intent): JsonObject {
  return said({ status: 'withdrawn', intent_id: id }, 'Withdrawn: the call will not be run.');
}

/** Tells a client whose call joined a pending one, in case it meant two calls. */
export function joined(result: JsonObject, madeAt: string, tool: string): JsonObject {
  const note =
    `Permitry: this call is the one with the same arguments that you made at ${madeAt} and that waited for approval. It ` +
    `is run once for both. If you want to run ${tool} a second time, call it again when this call is finished.`;
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, content: [...content, { type: 'text', text: note }] };
}

function failed(structuredContent: JsonObject, sentence: string): JsonObject {
  return { ...said(structuredContent, sentence), isError: true };
}

function said(structuredContent: JsonObject, sentence: string): JsonObject {
  return { content: [{ type: 'text', text: sentence }], structuredContent };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
