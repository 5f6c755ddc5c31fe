/** Distinguishes the JSON-RPC messages that pass through, as far as the wrapper needs. */
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import { isObject } from '../is-object.ts';

export type Id = string | number;

export interface Answer {
  jsonrpc: '2.0';
  id: Id;
  result?: JsonObject;
  error?: JsonObject;
}

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && !('id' in message);
}

export function isAnswer(message: JSONRPCMessage): message is JSONRPCMessage & Answer {
  return !('method' in message) && 'id' in message && message.id !== undefined;
}

/** A member that is an object. `{}` for any other value. */
export function objectIn(value: unknown, name: string): JsonObject {
  const property = isObject(value) ? value[name] : undefined;
  return isObject(property) ? property : {};
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Whether the request belongs to a revision that puts its version into each request (2026-07-28). */
export function isModern({ params }: JSONRPCRequest): boolean {
  return VERSION in objectIn(params, '_meta');
}

/** The client's capabilities, if the request itself lists them. */
export function capabilitiesIn({ params }: JSONRPCRequest): JsonObject {
  return objectIn(objectIn(params, '_meta'), CAPABILITIES);
}

export function canOpenUrls(capabilities: JsonObject): boolean {
  return 'url' in objectIn(capabilities, 'elicitation');
}
