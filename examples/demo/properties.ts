/** Reads members of an answer by dotted path, e.g. `error.reason`. */
import type { JsonObject, JsonValue } from '@permitry/protocol';

export function readProperty(answer: JsonValue | undefined, path: string): JsonValue | undefined {
  let value = answer;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** @throws Error if the member is missing, because the next steps need it */
export function readText(answer: JsonObject, path: string): string {
  const value = readProperty(answer, path);
  if (typeof value !== 'string') throw new Error(`the answer has no ${path}: ${JSON.stringify(answer)}`);
  return value;
}

/** The answer, reduced to some of its members. */
export function pickProperties(answer: JsonObject, paths: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const path of paths) {
    const value = readProperty(answer, path);
    if (value === undefined) continue;
    const names = path.split('.');
    const last = names.pop() ?? path;
    let into = picked;
    for (const name of names) {
      into[name] ??= {};
      into = into[name] as JsonObject;
    }
    into[last] = value;
  }
  return picked;
}
