import type { JsonObject } from '@permitry/protocol';
import { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { ToolDefinition } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';

/** Of the schemas of one approval together: some seconds, and several times what the largest servers there are have. */
const MOST_EFFORT = 4000;

interface Wanted {
  projectId: string;
  upstreamId: string;
  tools: readonly { name: string; hash: string }[];
}

/**
 * Which of these definitions can be used to check arguments, by their hashes. It is asked before the transaction, which all
 * others would wait for, one in each turn, and all together are bounded: a stranger wrote them, and may have made them to
 * take long. One that is not as it was looked at is left to whoever writes.
 *
 * @throws GateError `invalid_fields` when it is too much at once; nothing of it was looked at
 */
export async function findUsable(
  gate: Pick<UpstreamDeps, 'storage' | 'tools'>,
  { projectId, upstreamId, tools }: Wanted,
): Promise<ReadonlySet<string>> {
  const usable = new Set<string>();
  if (!(await gate.storage.read.findUpstream(projectId, upstreamId))) return usable;
  const schemas = new Map<string, JsonObject>();
  let effort = 0;
  for (const { name, hash } of tools) {
    const { found = null } = (await gate.storage.read.findUpstreamTool(upstreamId, name)) ?? {};
    const schema = found?.hash === hash ? schemaOf(found) : undefined;
    if (schema === undefined || schemas.has(hash)) continue;
    effort += gate.tools.argumentChecker.effortFor(schema);
    if (effort > MOST_EFFORT) throw tooMuch();
    schemas.set(hash, schema);
  }
  for (const [hash, schema] of schemas) {
    await yieldToEventLoop();
    if (isUsable(gate, schema, hash)) usable.add(hash);
  }
  return usable;
}

function schemaOf({ content: { inputSchema } }: ToolDefinition): JsonObject | undefined {
  const isObject = typeof inputSchema === 'object' && inputSchema !== null && !Array.isArray(inputSchema);
  return isObject ? inputSchema : undefined;
}

/** The checker refuses what it cannot compile within bounds; what it says of no arguments at all does not matter. */
function isUsable(gate: Pick<UpstreamDeps, 'tools'>, schema: JsonObject, hash: string): boolean {
  try {
    gate.tools.argumentChecker.check(schema, hash, {});
    return true;
  } catch (error) {
    if (error instanceof GateError) return false;
    throw error;
  }
}

function tooMuch(): GateError<'invalid_fields'> {
  return invalidFields({
    path: '/tools',
    message:
      'The input schemas of these tools are too large to be looked at at once; approve fewer at a time.',
  });
}
