import { sayVisibly } from './printing/say.ts';

/** The command line's names for the SDK's options. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bbaseUrl\b/g, '--url or PERMITRY_URL'],
  [/\bissuer or jwksUrl\b/g, '--issuer'],
];

/**
 * A `ConnectionError` of the SDK, in the words of the command line.
 *
 * @example tellConnectionProblem(error); // 'There is no connection to … Is the gate running, and --url or PERMITRY_URL right?'
 */
export function tellConnectionProblem({ message }: Error): string {
  const translated = WORDS.reduce((text, [option, flag]) => text.replaceAll(option, flag), message);
  return sayVisibly(translated);
}
