import type { JsonObject } from './json.ts';

/** How one MCP door calls its own tools, and the schemas of their arguments. */
export interface OwnToolNames {
  result: string;
  withdraw: string;
  /** The argument of both that says which call is meant. */
  id: JsonObject;
  /** Further arguments of `result`. */
  more?: JsonObject;
}

/**
 * The tools that each MCP door adds to those it protects, as MCP lists tools: to come back for the result of a call that
 * waits for approval, and to take such a call back. Neither decides.
 *
 * @example ownTools({ result: 'permitry_result', withdraw: 'permitry_withdraw', id: { intent_id: { type: 'string' } } })
 */
export function ownTools(door: OwnToolNames) {
  const { result, withdraw, id, more = {} } = door;
  const inputSchema = (properties: JsonObject) => ({
    type: 'object' as const,
    properties: properties as Record<string, JsonObject>,
    required: Object.keys(id),
    additionalProperties: false,
  });
  const changes = { readOnlyHint: false, idempotentHint: true };
  return [
    {
      name: result,
      title: 'Result of a call that waited for approval',
      description:
        'Looks at a call of yours that waits for a person’s approval. Once it is approved the call is carried out, once, ' +
        'and this answers with its result; when it was denied, with the reason. It waits a while for the decision.',
      inputSchema: inputSchema({ ...id, ...more }),
      annotations: { ...changes, destructiveHint: true, openWorldHint: true },
    },
    {
      name: withdraw,
      title: 'Take back a call that waits for approval',
      description:
        'Takes back a call of yours that still waits for a person’s approval, when it is not wanted any more. ' +
        'Nothing is carried out then.',
      inputSchema: inputSchema(id),
      annotations: { ...changes, destructiveHint: false, openWorldHint: false },
    },
  ];
}
