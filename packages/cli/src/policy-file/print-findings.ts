import { paint, sayVisibly } from '../printing/say.ts';
import type { FileProblem } from './read-policy-file.ts';

/** In the form that editors can open: file:line:column. */
export function printFindings(
  file: string,
  problems: readonly FileProblem[],
  warnings: readonly FileProblem[],
): void {
  const line = ({ line, column, path, message }: FileProblem, label: string): string =>
    `${paint('bold', `${sayVisibly(file)}:${line}:${column}`)} ${label}${path === '' ? '' : ` ${paint('dim', sayVisibly(path))}`}\n  ${sayVisibly(message)}\n`;
  for (const problem of problems) process.stdout.write(line(problem, paint('red', 'error')));
  for (const warning of warnings) process.stdout.write(line(warning, paint('yellow', 'warning')));
}
