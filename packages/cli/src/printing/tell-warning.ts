import { paintError } from './paint.ts';

/** On stderr, beside what the command answers; with `json` a line of JSON. */
export function tellWarning(sentence: string, { json }: { json?: boolean }): void {
  if (json) process.stderr.write(`${JSON.stringify({ warning: sentence })}\n`);
  else process.stderr.write(`${paintError('yellow', 'warning:')} ${sentence}\n`);
}
