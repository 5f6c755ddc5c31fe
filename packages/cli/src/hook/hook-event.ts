import { type JsonObject, parseStrictJson } from '@permitry/protocol';
import { isObject } from '../is-object.ts';

/** The members of a Claude Code hook event that are used. */
export interface HookEvent {
  name: string;
  sessionId: string;
  /** Undefined for versions of Claude Code that do not name their calls. */
  toolUseId: string | undefined;
  toolName: string;
  toolInput: JsonObject;
  /** Shown to approvers. */
  cwd: string | undefined;
  permissionMode: string | undefined;
}

const DEEPEST = 64;

/** @throws Error for input that is not an event about a tool */
export function readHookEvent(bytes: Uint8Array): HookEvent {
  // Two readers of the same bytes must not see two different inputs.
  const event: unknown = parseStrictJson(bytes, { maxDepth: DEEPEST });
  if (!isObject(event)) throw new Error('stdin holds no hook event');
  return {
    name: getText(event, 'hook_event_name'),
    sessionId: getText(event, 'session_id'),
    toolUseId: findText(event, 'tool_use_id'),
    toolName: getText(event, 'tool_name'),
    toolInput: getObject(event, 'tool_input'),
    cwd: findText(event, 'cwd'),
    permissionMode: findText(event, 'permission_mode'),
  };
}

function findText(event: JsonObject, name: string): string | undefined {
  const value = event[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function getText(event: JsonObject, name: string): string {
  const value = findText(event, name);
  if (value === undefined) throw new Error(`the hook event has no ${name}`);
  return value;
}

function getObject(event: JsonObject, name: string): JsonObject {
  const value = event[name];
  if (!isObject(value)) throw new Error(`${name} of the hook event is not an object`);
  return value;
}
