/**
 * Makes texts of agents and members safe to show in a mail, a message or a notification (threat 13). In the result,
 * every character is visible, later text keeps its direction, and no line or header breaks. Cut text is marked.
 */

import { ODD_CHARACTERS } from '@permitry/protocol';

const ODD = new RegExp(ODD_CHARACTERS, 'gv');

const MOST_CHARACTERS = 200;

/**
 * One line in which every character is visible: `pay\u202Etxt.exe` becomes `pay⟨U+202E⟩txt.exe`. A text longer than
 * `most` characters is cut, and ends with the number of missing characters. An address appears as `https:⟨//⟩…`: mail
 * readers turn everything that looks like an address into a link, and a link in our mail looks like ours.
 *
 * @example toInertLine(intent.action) // 'payments.refund'
 */
export function toInertLine(text: string, most = MOST_CHARACTERS): string {
  const characters = [...text];
  const kept = characters.length > most ? characters.slice(0, most).join('') : text;
  const visible = kept.replaceAll(ODD, (character) => `⟨U+${codePointOf(character)}⟩`);
  const unlinked = visible.replaceAll('://', ':⟨//⟩');
  return kept === text ? unlinked : `${unlinked} ⟨${characters.length - most} more characters⟩`;
}

function codePointOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? '');
}

/**
 * Escapes a text of others for HTML, so that no mail reader makes a link of it. Every `.`, `:` and `@` gets its own
 * element.
 */
export function escapeUnlinked(text: string): string {
  return escapeHtml(text).replaceAll(/[.:@]/g, '<span>$&</span>');
}
