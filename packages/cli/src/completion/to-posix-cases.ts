import type { CompletedCommand } from './command-tree.ts';

/**
 * Arms of `case`, in syntax that bash and zsh share. Names of commands and flags contain only letters and dashes, and
 * need no quotes.
 */
export const toPosixCases = {
  /** `$at/$word` → the command that this word leads to. */
  paths(commands: readonly CompletedCommand[]): string {
    return commands
      .filter(({ path }) => path !== '')
      .map(({ path }) => {
        const words = path.split(' ');
        return `      "${words.slice(0, -1).join(' ')}/${words.at(-1)}") at="${path}" ;;`;
      })
      .join('\n');
  },

  /** `$at $prev` → the values of the preceding flag. Empty for a flag that takes any value. */
  values(commands: readonly CompletedCommand[]): string {
    return commands
      .flatMap(({ path, flags }) =>
        flags
          .filter(({ takesValue }) => takesValue)
          .map(({ long, choices }) => `    "${path} ${long}") found="${choices.join(' ')}" ;;`),
      )
      .join('\n');
  },

  /** `$at` → the words that may follow. */
  words(commands: readonly CompletedCommand[]): string {
    return commands
      .map(({ path, subcommands, flags }) => {
        const words = [...subcommands.map(({ name }) => name), ...flags.map(({ long }) => long)];
        return `      "${path}") found="${words.join(' ')}" ;;`;
      })
      .join('\n');
  },
};
