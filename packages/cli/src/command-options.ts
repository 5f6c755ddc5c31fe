/** Options that many commands share, in the same words. */
import { Option } from 'commander';

export function dataOption(): Option {
  return new Option('--data <dir>', 'data directory (PERMITRY_DATA; ./permitry-data when left out)');
}

export function jsonOption(): Option {
  return new Option('--json', 'answer with JSON on stdout');
}

export function projectOption(): Option {
  return new Option('--project <id|name>', 'may be left out while there is one project only');
}

/** The end of a help page. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
