import { toInertJson } from './inert-json.ts';

/** One line of JSON on stdout, for programs that read along. */
export function printLine(value: unknown): void {
  process.stdout.write(`${toInertJson(value)}\n`);
}
