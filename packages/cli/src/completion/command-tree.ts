/** Owns what a shell completes: every command by the words that name it, its subcommands and its flags. */
import type { Command } from 'commander';

export interface CompletedCommand {
  /** `keys create`. Empty for the program itself. */
  path: string;
  subcommands: readonly { name: string; summary: string }[];
  flags: readonly CompletedFlag[];
}

interface CompletedFlag {
  /** With its dashes. */
  long: string;
  summary: string;
  takesValue: boolean;
  /** Empty: any value, perhaps a file. */
  choices: readonly string[];
}

/** The program first, and each command before its subcommands. */
export function toCommandTree(command: Command, words: readonly string[] = []): CompletedCommand[] {
  const help = command.createHelp();
  const own: CompletedCommand = {
    path: words.join(' '),
    subcommands: help.visibleCommands(command).flatMap((sub) =>
      [sub.name(), ...sub.aliases()].map((name) => ({
        name,
        summary: firstLine(sub.summary() || sub.description()),
      })),
    ),
    flags: help.visibleOptions(command).flatMap(({ long, description, flags, argChoices }) =>
      long
        ? [
            {
              long,
              summary: firstLine(description),
              takesValue: /[<[]/.test(flags),
              choices: argChoices ?? [],
            },
          ]
        : [],
    ),
  };
  const below = command.commands.flatMap((sub) =>
    [sub.name(), ...sub.aliases()].flatMap((name) => toCommandTree(sub, [...words, name])),
  );
  return [own, ...below];
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
