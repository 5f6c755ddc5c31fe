import type { JsonObject } from './json.ts';

/** How one MCP door calls its own tools, and the schemas of their arguments. */
export interface OwnToolNames {
  result: string;
  withdraw: string;
  /** The argument of both tools that identifies the call. */
  id: JsonObject;
  /** Further arguments of `result`. */
  more?: JsonObject;
}

/**
 * The tools that each MCP door adds to those it protects, as MCP lists tools. One returns the result of a call that needs
 * approval, and one withdraws such a call. Neither decides.
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
      title: 'Result of a call that needed approval',
      description:
        'Returns the result of one of your calls that needs a person’s approval. Once the call is approved, this tool ' +
        'runs it, once, and returns its result. If the call was denied, it returns the reason. It waits a while for the decision.',
      inputSchema: inputSchema({ ...id, ...more }),
      annotations: { ...changes, destructiveHint: true, openWorldHint: true },
    },
    {
      name: withdraw,
      title: 'Withdraw a call that needs approval',
      description:
        'Withdraws one of your calls that still needs a person’s approval, if you no longer want it. ' +
        'The call is then not run.',
      inputSchema: inputSchema(id),
      annotations: { ...changes, destructiveHint: false, openWorldHint: false },
    },
  ];
}
