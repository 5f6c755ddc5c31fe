import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Node's `parseArgs` for the commands behind `npm run`. An unknown argument ends the process with one sentence and exit
 * code 2, not with a stack.
 */
export function readFlags<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS_/.test(String(error.code))))
      throw error;
    const [sentence] = error.message.split('. ');
    return refuse(`${sentence}; see --help`);
  }
}

/** Ends the process, because the command line cannot be used as given. */
export function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
