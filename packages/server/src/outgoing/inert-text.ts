/**
 * Texts that agents and members chose, made fit to stand in a mail, a message or a notification: nothing in them is
 * invisible, turns the direction of what follows, breaks a line or a header, or is gone without a word (threat 13).
 */

import { ODD_CHARACTERS } from '@permitry/protocol';

const ODD = new RegExp(ODD_CHARACTERS, 'gv');

const MOST_CHARACTERS = 200;

/**
 * One line in which everything can be seen: `pay\u202Etxt.exe` becomes `pay⟨U+202E⟩txt.exe`. What is longer than
 * `most` characters is cut, and says by how many. An address is shown as `https:⟨//⟩…`: readers of mail make links of
 * whatever looks like one, and a link in a mail of ours is ours.
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

/** The same for a text of others, of which no mail reader makes a link: `evil.example` without the dot in one piece. */
export function escapeUnlinked(text: string): string {
  return escapeHtml(text).replaceAll(/[.:@]/g, '<span>$&</span>');
}
