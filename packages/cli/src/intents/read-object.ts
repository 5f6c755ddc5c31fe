import { type JsonObject, parseStrictJson, StrictJsonError } from '@permitry/protocol';
import { usage } from '../command-failure.ts';
import { readInput } from '../input/read-input.ts';

/**
 * A JSON object from the command line: the text itself, `@FILE`, or `-` for stdin. It is as strict as the gate: it
 * refuses text that two readers could read differently, before anything is requested.
 *
 * @throws CommandFailure
 */
export async function readObject(flag: string, given: string | undefined): Promise<JsonObject> {
  if (given === undefined) return {};
  const bytes = /^(@.|-$)/.test(given)
    ? await readInput(given.replace(/^@/, ''))
    : new TextEncoder().encode(given);
  let value: unknown;
  try {
    value = parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw usage(`${flag} cannot be read as JSON. ${error.message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw usage(`${flag} must be a JSON object, such as '{"amount": 12}', or @FILE, or - for stdin.`);
}
