import type { CompletedCommand } from './command-tree.ts';

/** Arms of `case`, which bash and zsh read alike. Names of commands and flags are letters and dashes, and need no quoting. */
export const toPosixCases = {
  /** `$at/$word` → the command that one is at then. */
  paths(commands: readonly CompletedCommand[]): string {
    return commands
      .filter(({ path }) => path !== '')
      .map(({ path }) => {
        const words = path.split(' ');
        return `      "${words.slice(0, -1).join(' ')}/${words.at(-1)}") at="${path}" ;;`;
      })
      .join('\n');
  },

  /** `$at $prev` → the values of the flag before, or nothing for one that takes anything. */
  values(commands: readonly CompletedCommand[]): string {
    return commands
      .flatMap(({ path, flags }) =>
        flags
          .filter(({ takesValue }) => takesValue)
          .map(({ long, choices }) => `    "${path} ${long}") found="${choices.join(' ')}" ;;`),
      )
      .join('\n');
  },

  /** `$at` → what may follow. */
  words(commands: readonly CompletedCommand[]): string {
    return commands
      .map(({ path, subcommands, flags }) => {
        const words = [...subcommands.map(({ name }) => name), ...flags.map(({ long }) => long)];
        return `      "${path}") found="${words.join(' ')}" ;;`;
      })
      .join('\n');
  },
};
