import { type JsonObject, parseStrictJson, StrictJsonError } from '@permitry/protocol';
import { usage } from '../command-failure.ts';
import { readInput } from '../input/read-input.ts';

/**
 * A file with one JSON object, read as strictly as the gate reads. A name that appears twice is refused, because it is
 * unclear which value was meant.
 *
 * @param what How the command line names the file, e.g. `--intent intent.json`.
 * @throws CommandFailure
 */
export async function readJsonFile(path: string, what: string): Promise<JsonObject> {
  try {
    const value = parseStrictJson(await readInput(path));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    if (!(cause instanceof StrictJsonError))
      throw usage(`${what} cannot be read. Check that the file exists.`, cause);
    throw usage(`${what} cannot be read as JSON. ${cause.message}`, cause);
  }
  throw usage(`${what} is not a JSON object.`);
}
