import { readFileSync } from 'node:fs';
import { parseStrictJson, StrictJsonError } from '@permitry/protocol';
import { CommandFailure } from '../command-failure.ts';

/** One JSON value per line, empty lines left out. Throws `CommandFailure` with the line that is wrong. */
export function readIntents(path: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (cause) {
    throw new CommandFailure(2, `${path} cannot be read; give intents as JSON Lines.`, { cause });
  }
  const intents = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parseStrictJson(new TextEncoder().encode(line))];
    } catch (error) {
      if (!(error instanceof StrictJsonError)) throw error;
      throw new CommandFailure(2, `${path}:${index + 1}: ${error.message}`);
    }
  });
  if (intents.length === 0) throw new CommandFailure(2, `${path} holds no intent.`);
  return intents;
}
