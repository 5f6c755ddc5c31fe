/**
 * Marks that are drawn over the letter before them (canonical combining class 1): a word can be struck out by them. The
 * inside of a character class, for patterns with the flag `v`.
 */
export const OVERLAYS = String.raw`\u{334}-\u{338}\u{1CD4}\u{1CE2}-\u{1CE8}\u{20D2}\u{20D3}\u{20D8}-\u{20DA}\u{20E5}\u{20E6}\u{20EA}\u{20EB}\u{10A39}\u{16AF0}-\u{16AF4}\u{1BC9E}\u{1D167}-\u{1D169}`;

/**
 * The characters of a text that somebody else chose and that must not be shown as they are: what draws nothing, looks like
 * a plain space, steers a terminal or the direction of a line, or is drawn over another character. A set for patterns with
 * the flag `v`. The one list for pages, mails, chat, labels and terminals.
 *
 * @example new RegExp(ODD_CHARACTERS, 'gv')
 */
export const ODD_CHARACTERS = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}[\p{Zs}--\u{20}]${OVERLAYS}]`;
