import { parseStrictJson, StrictJsonError } from '@permitry/protocol';
import { usage } from '../command-failure.ts';
import { readInput } from '../input/read-input.ts';

/** One JSON value per line, without empty lines. Throws `CommandFailure` with the line that is wrong. */
export async function readIntents(path: string): Promise<unknown[]> {
  const text = (await readInput(path)).toString();
  const intents = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parseStrictJson(new TextEncoder().encode(line))];
    } catch (error) {
      if (!(error instanceof StrictJsonError)) throw error;
      throw usage(`${path}:${index + 1}: ${error.message}`);
    }
  });
  if (intents.length === 0) throw usage(`${path} contains no requests.`);
  return intents;
}
