/** A word is suggested only if it shares at least this part of the longer word's letters. */
const NEAR = 2 / 3;

/** Removes bad guesses from commander's message about an unknown word: `bogus` does not mean `logout`. */
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
