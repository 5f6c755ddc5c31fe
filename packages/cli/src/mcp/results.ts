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
    `Nothing has been done yet: a person has to approve this call first. They were asked; whoever may approve can do so at ` +
      `${url} until ${until}. Tell the user so. Then call ${RESULT_TOOL} with intent_id "${id}": once it is approved ` +
      `that carries the call out and answers with its result. Calling ${tool} with the same arguments meanwhile joins this ` +
      'request and asks nobody again.',
  );
}

export function deniedResult(intent: Intent): JsonObject {
  const { message, reason } = new DeniedError(intent);
  return failed({ status: intent.status, intent_id: intent.id, reason }, message);
}

/** The gate refused, or could not be reached: nothing was run. */
export function refusedResult(error: unknown, ownCode = 'gate_unreachable'): JsonObject {
  const code = error instanceof PermitryError ? error.code : ownCode;
  const fields = error instanceof PermitryError ? error.fields : [];
  const lines = fields.map(({ path, message }) => `${path}: ${message}`);
  return failed({ status: 'refused', code }, [`Not carried out: ${messageOf(error)}`, ...lines].join('\n'));
}

export function unknownResult(intentId: string): JsonObject {
  return failed(
    { status: 'unknown', intent_id: intentId },
    'The server of this tool ended while it ran: nobody knows whether it was done. It is not tried again by itself. ' +
      'Do not call it again before somebody has looked.',
  );
}

/** The server ended after the approval was used, and before it received the call. */
export function notSentResult(intentId: string): JsonObject {
  return failed(
    { status: 'failed', intent_id: intentId },
    'The server of this tool ended before the call was sent to it, so nothing was done. The approval is used up: the call ' +
      'needs a new one when the server runs again.',
  );
}

export function withdrawnResult({ id }: Intent): JsonObject {
  return said(
    { status: 'withdrawn', intent_id: id },
    'Taken back: it will not be carried out, and nobody is asked any more.',
  );
}

/** For a call that joined a pending one: a client that meant two calls must know. */
export function joined(result: JsonObject, madeAt: string, tool: string): JsonObject {
  const note =
    `Permitry: this call is the one with the same arguments that you made at ${madeAt} and that waited for approval. It is ` +
    `run once for both. If you mean ${tool} to be done a second time, call it again when this one is over.`;
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
