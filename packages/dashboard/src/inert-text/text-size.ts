import * as words from './inert-text.words.ts';

const ENCODER = new TextEncoder();

/** Characters as people count them (code points), and bytes as sent (UTF-8). */
export interface TextSize {
  characters: number;
  bytes: number;
}

export function sizeOf(text: string): TextSize {
  let characters = 0;
  for (const _ of text) characters += 1;
  return { characters, bytes: ENCODER.encode(text).length };
}

/** @example saySize({ characters: 204800, bytes: 204800 }) // '204,800 characters, 200 kB' */
export function saySize({ characters, bytes }: TextSize): string {
  return words.size(characters, bytes);
}

/** The first `length` UTF-16 units of the text, or one more so that no character is split. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length + 1 : length);
}
