/** Turns of phrase that read as a translation, and what to write instead. */

export interface Turn {
  id: string;
  pattern: RegExp;
  instead: string;
}

/** For every comment, string, test name and document. */
export const TURNS: readonly Turn[] = [
  { id: 'A1', pattern: /\b(?:by now|anew)\b/gi, instead: '"already", "again", or nothing' },
  { id: 'A2', pattern: /\bin(?:to)? force\b/gi, instead: '"active", "publish"' },
  {
    id: 'A3',
    pattern:
      /\b(?:stands?|stood) (?:here|there|at|above|below|behind|beside|so|as|twice|in(?! for\b)|on(?! its| their))\b/gi,
    instead: '"is", "appears", "is written"',
  },
  {
    id: 'A4',
    pattern: /\bwhat(?:ever)? (?:came|comes?|became|becomes|has become) of\b/gi,
    instead: '"the outcome of", "what happened to"',
  },
  {
    id: 'A5',
    pattern:
      /\b(?:take|takes|took|taken|taking)(?: (?:it|this|that|them|(?:the|an?) \w+))? back\b(?! (?:to|here|in))/gi,
    instead: '"withdraw", "revoke"',
  },
  { id: 'A6', pattern: /\btold (?:of|by)\b/gi, instead: '"notified of", or name who says it' },
  {
    id: 'A7',
    pattern: /(?<!are )(?<!is )(?<!and )(?<!, )(?<!: )\bno more(?=['"’.,;)<]|$)/gim,
    instead: '"no longer"',
  },
  { id: 'A8', pattern: /\bno(?:thing|where|body|ne)? (?:\w+ )?any more\b/gi, instead: '"no longer"' },
  {
    id: 'A9',
    pattern:
      /\b(?:newest|after|for|than|at most) so (?:many|long|much)\b(?! (?:as|that))|\bso (?:many|long|much) at most\b/gi,
    instead: 'the number, or its name',
  },
  { id: 'A10', pattern: /(?<!as )\bof now\b/gi, instead: '"current"' },
  {
    id: 'A11',
    pattern: /\bgood (?:until|till|for (?:\d|an? (?:minute|hour|half|day|week)|half|ten|five))/gi,
    instead: '"valid until", "valid for"',
  },
];

/** Also for what people see: pages, mail, the command line, the README, documents. */
export const TURNS_SHOWN: readonly Turn[] = [
  { id: 'B1', pattern: /\bwhoever\b/gi, instead: 'the role, or "anyone who"' },
  { id: 'B2', pattern: /\bof (?:yours|ours|theirs|mine)\b/gi, instead: '"your", "our"' },
  {
    id: 'B3',
    pattern: /(?<![/_.`:-])\bintents?\b(?! hash)(?![/_.`:_-])/gi,
    instead: '"request", except in documents of the API',
  },
  {
    id: 'B4',
    pattern: /\be-mail\b|\bfor ever\b|\bwhen left out\b|\bsay --\w/gi,
    instead: '"email", "forever", "default:", "pass --x"',
  },
  {
    id: 'B5',
    pattern: /\bwaits? for (?:people|you|a person|a second person|a decision)\b/gi,
    instead: '"is pending", "needs review"',
  },
];

/** The limit for each sentence of a comment. */
export const MOST_WORDS = 25;
