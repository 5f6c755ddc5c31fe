import type { CompletedCommand } from './command-tree.ts';
import { toPosixCases } from './to-posix-cases.ts';

export function toZsh(commands: readonly CompletedCommand[]): string {
  return `#compdef permitry
# Completion of permitry for zsh. To use it: eval "$(permitry completion zsh)", after compinit
_permitry() {
  local prev="\${words[CURRENT-1]}" at="" word i found=""
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    [ "$word" = "--" ] && { _files; return; }
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
  [ -n "$found" ] && compadd -- \${=found} || _files
}
compdef _permitry permitry
`;
}
