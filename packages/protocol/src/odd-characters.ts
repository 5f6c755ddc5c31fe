/**
 * Marks that are drawn over the letter before them (canonical combining class 1), so they can strike out a word. Goes
 * inside a character class, for patterns with the flag `v`.
 */
export const OVERLAYS = String.raw`\u{334}-\u{338}\u{1CD4}\u{1CE2}-\u{1CE8}\u{20D2}\u{20D3}\u{20D8}-\u{20DA}\u{20E5}\u{20E6}\u{20EA}\u{20EB}\u{10A39}\u{16AF0}-\u{16AF4}\u{1BC9E}\u{1D167}-\u{1D169}`;

/**
 * Characters that must not be shown unchanged in a text of foreign origin. They draw nothing, look like a plain space,
 * control a terminal or the direction of a line, or are drawn over another character. A set for patterns with the flag
 * `v`. The one list for pages, mails, chat, labels and terminals.
 *
 * @example new RegExp(ODD_CHARACTERS, 'gv')
 */
export const ODD_CHARACTERS = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}[\p{Zs}--\u{20}]${OVERLAYS}]`;
