const WORD = /[\p{L}\p{M}\p{N}._-]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Words that mix Latin letters with those of alphabets that have the same shapes, each once: `pаypal` with a Cyrillic a. */
export function findMixedWords(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.match(WORD) ?? []);
  return [...new Set(words.filter((word) => LATIN.test(word) && LOOK_ALIKE.test(word)))];
}
