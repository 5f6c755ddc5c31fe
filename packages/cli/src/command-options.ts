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

/**
 * A command on the data directory, beside a server that may be running on it.
 *
 * @param when When to use it: further sentences of its help page.
 */
export function adminCommand(parent: Command, name: string, summary: string, when?: string): Command {
  return gateCommand(parent, name, summary, when).addOption(
    new Option('--project <id|name>', 'the project; may be left out if there is only one'),
  );
}

/** As `adminCommand`, for a command that concerns no single project. */
export function gateCommand(parent: Command, name: string, summary: string, when?: string): Command {
  return describedCommand(parent, name, summary, when)
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption());
}

/** A command that talks to a gate over HTTP, as the person signed in there or with the key in PERMITRY_KEY. */
export function remoteCommand(parent: Command, name: string, summary: string, when?: string): Command {
  return describedCommand(parent, name, summary, when).addOption(urlOption()).addOption(jsonOption());
}

function describedCommand(parent: Command, name: string, summary: string, when?: string): Command {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const description = when === undefined ? sentence : `${sentence} ${when}`;
  return parent.command(name).summary(summary).description(description);
}

export function urlOption(): Option {
  return new Option(
    '--url <url>',
    'address of the gate (env: PERMITRY_URL; default: the gate that you last signed in to)',
  );
}

export function dataOption(): Option {
  return new Option('--data <dir>', 'data directory (env: PERMITRY_DATA; default: ./permitry-data)');
}

export function databaseOption(): Option {
  return new Option(
    '--database <url>',
    'use PostgreSQL instead: the URL without its password (env: PERMITRY_DATABASE_URL)',
  );
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON on stdout');
}

/** The end of a help page. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

/** For an option that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
