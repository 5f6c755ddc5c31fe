/** Finds where addresses in a text really lead, as opposed to how they look. */
import { oddity } from './inert-text.words.ts';

export interface FoundAddress {
  /** As written in the text. */
  written: string;
  /** The host that a browser would open, in ASCII. */
  host: string;
  /** What is unusual about it, in words; empty for a plain address. */
  oddities: readonly string[];
}

const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:[/\\]{2}[^\s<>"'`⟨⟩]{1,2000}/giu;
const MAIL = /[^\s<>"'`@]{1,64}@([^\s<>"'`@/,;:)\]}]*[^\p{ASCII}\s][^\s<>"'`@/,;:)\]}]*)/giu;
const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const;
/** The most addresses to show for one text. The caller counts any further ones. */
export const MOST_ADDRESSES = 20;

/**
 * @example findAddresses('see https://bank.example@evil.example/x')
 * // [{ written: …, host: 'evil.example', oddities: ['the part before @ is not the host'] }]
 */
export function findAddresses(text: string): FoundAddress[] {
  const found = [...text.matchAll(ADDRESS)].flatMap((match) => toAddress(withoutEnd(match[0])));
  for (const match of text.matchAll(MAIL)) {
    found.push(...toAddress(`https://${match[1]}/`).map((address) => ({ ...address, written: match[0] })));
  }
  const unique = new Map(found.map((address) => [`${address.host} ${address.oddities.join()}`, address]));
  return [...unique.values()];
}

/** Drops closing punctuation and brackets: `(see https://evil.example).` */
function withoutEnd(written: string): string {
  let address = written.replace(/[.,;:!?]+$/, '');
  for (const [open, close] of BRACKETS) {
    while (address.endsWith(close) && address.split(open).length < address.split(close).length)
      address = address.slice(0, -1).replace(/[.,;:!?]+$/, '');
  }
  return address;
}

function toAddress(written: string): FoundAddress[] {
  let url: URL;
  try {
    url = new URL(written);
  } catch {
    return [{ written, host: '', oddities: [oddity.invalid] }];
  }
  const { hostname: host } = url;
  if (host === '') return [];
  return [{ written, host, oddities: odditiesOf(url, written) }];
}

function odditiesOf(url: URL, written: string): string[] {
  const oddities: string[] = [];
  if (url.username !== '' || url.password !== '') oddities.push(oddity.userInfo);
  if (/(^|\.)xn--/.test(url.hostname)) oddities.push(oddity.otherLetters);
  else if (!written.toLowerCase().includes(url.hostname.toLowerCase())) oddities.push(oddity.otherForm);
  if (written.includes('\\')) oddities.push(oddity.backslashes);
  return oddities;
}
