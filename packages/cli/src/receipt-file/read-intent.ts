import { type IntentHashInput, type JsonObject, parseStrictJson } from '@permitry/protocol';
import { usage } from '../command-failure.ts';
import { isObject } from '../is-object.ts';
import { readJsonFile } from './read-json-file.ts';

const TEXTS = ['project', 'intent', 'action', 'requester', 'source_type', 'risk_tier', 'expires_at'] as const;
const encoder = new TextEncoder();

/**
 * Everything that was hashed of an intent: the members themselves, or the approval page's file, whose parameters are
 * the text that was hashed.
 *
 * @throws CommandFailure
 */
export async function readIntent(path: string): Promise<IntentHashInput> {
  const file = await readJsonFile(path, `--intent ${path}`);
  const intent = findIntentIn(file) ?? toIntent(file);
  if (intent) return intent;
  throw usage(
    `--intent ${path} does not contain everything that was hashed: ${TEXTS.join(', ')}, source, metadata and params.`,
  );
}

/** The intent in a file next to its receipt, in the form of the approval page and `GET /console/intents/:id`. */
export function findIntentIn(file: JsonObject): IntentHashInput | undefined {
  const { hashed, canonical_params: text } = file;
  if (!isObject(hashed) || typeof text !== 'string') return undefined;
  return toIntent({ ...hashed, params: parse(text) });
}

function toIntent(properties: JsonObject): IntentHashInput | undefined {
  const { source, metadata, params } = properties;
  const isWhole =
    TEXTS.every((name) => typeof properties[name] === 'string') &&
    (source === null || typeof source === 'string') &&
    isObject(metadata) &&
    isObject(params);
  return isWhole ? (properties as JsonObject & IntentHashInput) : undefined;
}

function parse(text: string): JsonObject | null {
  try {
    const value = parseStrictJson(encoder.encode(text));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
