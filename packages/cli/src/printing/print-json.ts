import { toInertJson } from './inert-json.ts';

/** The whole answer of a command on stdout, for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${toInertJson(value, 2)}\n`);
}
