import type { JsonObject } from '@permitry/protocol';
import { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { ToolDefinition } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';

/**
 * Maximum effort of all schemas in one approval together: some seconds, and several times the effort for the largest
 * known servers.
 */
const MOST_EFFORT = 4000;

interface Wanted {
  projectId: string;
  upstreamId: string;
  tools: readonly { name: string; hash: string }[];
}

/**
 * Finds which of these definitions can be used to check arguments, by their hashes. Runs before the transaction,
 * because all other transactions would have to wait. Yields to the event loop between schemas. The total effort is
 * bounded, because a stranger wrote the schemas and may have made them slow to compile. Skips a definition that has
 * changed since the review: the transaction refuses it.
 *
 * @throws GateError `invalid_fields` if the effort is too much; nothing was checked then
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

/** The checker refuses a schema that it cannot compile within bounds. Whether empty arguments fit does not matter. */
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
    message: 'The input schemas of these tools are too large to be checked at once; approve fewer at a time.',
  });
}
