/** A word may be guessed when so much of the longer one's letters stands in the other. */
const NEAR = 2 / 3;

/** Of commander's message about an unknown word, without guesses that are none: `bogus` is not meant to be `logout`. */
export function withNearSuggestions(message: string): string {
  const word = /unknown (?:command|option) '([^']*)'/.exec(message)?.[1];
  return message.replace(/\n\(Did you mean (?:one of )?(.+)\?\)/, (_, guesses: string) => {
    const near = guesses.split(', ').filter((guess) => word !== undefined && isNear(word, guess));
    if (near.length === 0) return '';
    return `\n(Did you mean ${near.length > 1 ? 'one of ' : ''}${near.join(', ')}?)`;
  });
}

function isNear(one: string, other: string): boolean {
  const [word, guess] = [one, other].map((text) => [...text.replace(/^--/, '')]) as [string[], string[]];
  const left = [...guess];
  const shared = word.filter((letter) => {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return shared.length / Math.max(word.length, guess.length) >= NEAR;
}
