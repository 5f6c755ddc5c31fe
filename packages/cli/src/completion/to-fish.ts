import type { CompletedCommand } from './command-tree.ts';

export function toFish(commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# Completion of permitry for fish. To use it: permitry completion fish | source
function __permitry_at
    set -l at ""
    for word in (commandline -opc)[2..]
        test "$word" = "--"; and return 1
        set -l next (string trim -- "$at $word")
        contains -- "$next" ${paths.join(' ')}; and set at "$next"
    end
    test "$at" = "$argv[1]"
end
complete -c permitry -e
${commands.flatMap(toLines).join('\n')}
`;
}

function toLines({ path, subcommands, flags }: CompletedCommand): string[] {
  const when = `complete -c permitry -n ${quoted(`__permitry_at ${quoted(path)}`)}`;
  return [
    ...subcommands.map(({ name, summary }) => `${when} -f -a ${quoted(name)} -d ${quoted(summary)}`),
    ...flags.map(({ long, summary, takesValue, choices }) => {
      const value = choices.length > 0 ? ` -xa ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
      return `${when} -l ${long.slice(2)}${value} -d ${quoted(summary)}`;
    }),
  ];
}

/** Between single quotes, fish gives a meaning only to the backslash and the quote itself. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`;
}
