import { type IntentHashInput, type JsonObject, parseStrictJson } from '@permitry/protocol';
import { CommandFailure } from '../command-failure.ts';
import { readJsonFile } from './read-json-file.ts';

const TEXTS = ['project', 'intent', 'action', 'requester', 'source_type', 'risk_tier', 'expires_at'] as const;
const encoder = new TextEncoder();

/**
 * All that was hashed of an intent: the members themselves, or what `GET /console/intents/:id` answers, where
 * parameters stand as the text that was hashed.
 *
 * @throws CommandFailure
 */
export async function readIntent(path: string): Promise<IntentHashInput> {
  const file = await readJsonFile(path, `--intent ${path}`);
  const { hashed, canonical_params: text } = file;
  const members: JsonObject =
    isObject(hashed) && typeof text === 'string' ? { ...hashed, params: parse(text) } : file;
  const { source, metadata, params } = members;
  const isWhole =
    TEXTS.every((name) => typeof members[name] === 'string') &&
    (source === null || typeof source === 'string') &&
    isObject(metadata) &&
    isObject(params);
  if (!isWhole) {
    throw new CommandFailure(
      2,
      `--intent ${path} is not all that was hashed: ${TEXTS.join(', ')}, source, metadata and params.`,
    );
  }
  return members as JsonObject & IntentHashInput;
}

function parse(text: string): JsonObject | null {
  try {
    const value = parseStrictJson(encoder.encode(text));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
