/** Reads a server's definition of a tool as untrusted text. Pure. */
import { canonicalJson, hashJson, isAction, type JsonObject, type JsonValue } from '@permitry/protocol';
import { isNestedDeeper } from './is-nested-deeper.ts';
import type { ToolDefinition } from './upstream.ts';

/** One tool from a server's list. */
export interface FoundTool {
  /** The server's name for the tool. If the gate could not offer a tool of this name, the name is escaped and cut. */
  name: string;
  /** Null if the definition cannot be stored. */
  definition: ToolDefinition | null;
  /** Why the tool cannot be offered. Null if it can. */
  obstacle: string | null;
}

/** A list with more tools is refused as a whole. */
export const MOST_TOOLS = 200;
const MOST_DEFINITION_BYTES = 64 * 1024;
/** The depth limit of request bodies: code that writes and reads JSON recurses once per level. */
const MOST_DEPTH = 64;
const MOST_SHOWN_NAME = 100;
/** The tool names that MCP allows. */
const TOOL_NAME = /^[A-Za-z0-9_./:-]+$/;
/** All properties of a tool that agents see. Other properties have no effect. */
const KEPT = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** @param listed Tools of `tools/list`, as received. */
export function readDefinitions(upstreamName: string, listed: readonly unknown[]): FoundTool[] {
  const found = new Map<string, FoundTool>();
  for (const tool of listed) {
    const read = readDefinition(upstreamName, tool);
    const twice = found.has(read.name);
    found.set(
      read.name,
      twice ? { name: read.name, definition: null, obstacle: 'The server lists it twice.' } : read,
    );
  }
  return [...found.values()];
}

function readDefinition(upstreamName: string, tool: unknown): FoundTool {
  if (!isObject(tool) || typeof tool.name !== 'string')
    return { name: '(no name)', definition: null, obstacle: 'It has no name.' };
  const { name } = tool;
  const isNamed = TOOL_NAME.test(name) && isAction(`${upstreamName}.${name}`);
  const shown = isNamed ? name : toShownName(name);
  const refused = (obstacle: string): FoundTool => ({ name: shown, definition: null, obstacle });
  if (!isNamed)
    return refused(
      `A tool's name consists of letters, digits and . _ : / - and has at most 128 characters together with the server's name.`,
    );
  // 2025-11-25: such a tool refuses every plain call. Without this check, people would only notice after they approved
  // the tool.
  if (isObject(tool.execution) && tool.execution.taskSupport === 'required')
    return refused('It can only be called as an MCP task, and this gate does not support tasks yet.');
  const content: JsonObject = {};
  for (const property of KEPT) {
    if (tool[property] !== undefined) content[property] = tool[property] as JsonValue;
  }
  const problem = isNestedDeeper(content, MOST_DEPTH)
    ? `It is nested deeper than ${MOST_DEPTH} levels.`
    : findFormProblem(content);
  if (problem !== undefined) return refused(problem);
  try {
    if (Buffer.byteLength(canonicalJson(content)) > MOST_DEFINITION_BYTES)
      return refused(`Its definition is larger than ${MOST_DEFINITION_BYTES / 1024} KiB.`);
    return { name, definition: { content, hash: hashJson(content) }, obstacle: null };
  } catch {
    return refused('Its definition has no canonical form: it contains half a character, or is not JSON.');
  }
}

function findFormProblem({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: JsonObject): string | undefined {
  if (title !== undefined && typeof title !== 'string') return 'Its title is not text.';
  if (description !== undefined && typeof description !== 'string') return 'Its description is not text.';
  if (!isObject(inputSchema) || inputSchema.type !== 'object')
    return 'Its input schema does not say that arguments are an object.';
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'Its output schema is not an object.';
  if (annotations !== undefined && !isObject(annotations)) return 'Its annotations are not an object.';
  return undefined;
}

/** Visible ASCII. Every other character is escaped. */
function toShownName(name: string): string {
  const cut = name.length > MOST_SHOWN_NAME ? `${name.slice(0, MOST_SHOWN_NAME)}…` : name;
  return JSON.stringify(cut).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
