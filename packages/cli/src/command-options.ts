/** Options that many commands share, with the same wording. */
import { type Command, Option } from 'commander';

/** Flags of every command that works on a data directory. */
export interface AdminFlags {
  data?: string;
  database?: string;
  /** ID or name. */
  project?: string;
  json?: true;
}

/** A command on the data directory, beside a server that may be running on it. */
export function adminCommand(parent: Command, name: string, summary: string): Command {
  return gateCommand(parent, name, summary).addOption(
    new Option('--project <id|name>', 'may be left out while there is one project only'),
  );
}

/** The same for a command that concerns no single project. */
export function gateCommand(parent: Command, name: string, summary: string): Command {
  return describedCommand(parent, name, summary)
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption());
}

/** A command that talks to a gate over HTTP, as the person signed in there or with the key in PERMITRY_KEY. */
export function remoteCommand(parent: Command, name: string, summary: string): Command {
  return describedCommand(parent, name, summary).addOption(urlOption()).addOption(jsonOption());
}

function describedCommand(parent: Command, name: string, summary: string): Command {
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return parent.command(name).summary(summary).description(description);
}

export function urlOption(): Option {
  return new Option('--url <url>', 'the gate (PERMITRY_URL; else the one last signed in at)');
}

export function dataOption(): Option {
  return new Option('--data <dir>', 'data directory (PERMITRY_DATA; ./permitry-data when left out)');
}

export function databaseOption(): Option {
  return new Option(
    '--database <url>',
    'PostgreSQL instead, named without its password (PERMITRY_DATABASE_URL)',
  );
}

export function jsonOption(): Option {
  return new Option('--json', 'answer with JSON on stdout');
}

/** The end of a help page. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

/** For an option that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
