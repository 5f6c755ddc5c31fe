import type { CompletedCommand } from './command-tree.ts';
import { toPosixCases } from './to-posix-cases.ts';

/** A script for bash 3.2 and later. It offers files where it has no other suggestion. */
export function toBash(commands: readonly CompletedCommand[]): string {
  return `# Completion of permitry for bash. To use it: eval "$(permitry completion bash)"
_permitry() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" word i found=""
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [ "$word" = "--" ] && return
    case "$at/$word" in
${toPosixCases.paths(commands)}
    esac
  done
  case "$at $prev" in
${toPosixCases.values(commands)}
    *) case "$at" in
${toPosixCases.words(commands)}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$found" -- "$cur"))
}
complete -o default -F _permitry permitry
`;
}
