/** The gate's own tools: to come back for an answer, and to take a request back. None of them decides. */
import type { Tool as McpTool } from '@modelcontextprotocol/server';

export const RESULT_TOOL = 'permitry.result';
export const WITHDRAW_TOOL = 'permitry.withdraw';

/** How long `permitry.result` may hold its answer, and does when nothing is said. */
export const LONGEST_WAIT_SECONDS = 45;
export const USUAL_WAIT_SECONDS = 30;

const CONNECTOR_REQUEST_ID = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'As it stood in the answer that said `pending` or `executing`.',
} as const;

export const OWN_TOOLS: readonly McpTool[] = [
  {
    name: RESULT_TOOL,
    title: 'Result of a call that waited for approval',
    description:
      'Looks at a call of yours that waits for a person’s approval. Once it is approved the call is carried out, once, ' +
      'and this answers with its result; when it was denied, with the reason. It waits a while for the decision.',
    inputSchema: {
      type: 'object',
      properties: {
        connector_request_id: CONNECTOR_REQUEST_ID,
        wait_seconds: {
          type: 'integer',
          minimum: 0,
          maximum: LONGEST_WAIT_SECONDS,
          default: USUAL_WAIT_SECONDS,
          description: 'How long to wait for the decision before answering that it is still open.',
        },
      },
      required: ['connector_request_id'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
  {
    name: WITHDRAW_TOOL,
    title: 'Take back a call that waits for approval',
    description:
      'Takes back a call of yours that still waits for a person’s approval, when it is not wanted any more. ' +
      'Nothing is carried out then.',
    inputSchema: {
      type: 'object',
      properties: { connector_request_id: CONNECTOR_REQUEST_ID },
      required: ['connector_request_id'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
];
