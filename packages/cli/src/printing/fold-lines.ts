/** Our own colour code, which takes no columns, or one character. No other control characters come this far. */
const PIECES = /\p{Cc}\[\d+m|./gsu;
const ASCII = /^[\u0020-\u007e]$/;
/** Marks a continuation: no other line of this program begins like this. */
const GOES_ON = '> ';
const NARROWEST = 20;

/**
 * Breaks lines before a terminal does, and marks each continuation. Otherwise, anyone who knows the width could make a
 * text continue on a new line that looks like ours.
 *
 * @param columns Undefined: the output is not a terminal, and nothing is broken.
 */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  // A terminal that does not know its width reports 0.
  const room = Math.max(columns || 80, NARROWEST);
  return text
    .split('\n')
    .map((line) => foldLine(line, room))
    .join('\n');
}

function foldLine(line: string, room: number): string {
  let folded = '';
  let used = 0;
  for (const piece of line.match(PIECES) ?? []) {
    const width = widthOf(piece);
    if (used + width > room) {
      folded += `\n${GOES_ON}`;
      used = GOES_ON.length;
    }
    folded += piece;
    used += width;
  }
  return folded;
}

/**
 * Some letters take two columns. Counting every letter outside ASCII as two may break a line too early, but never too
 * late.
 */
function widthOf(piece: string): number {
  if (piece.startsWith('\u001b')) return 0;
  return ASCII.test(piece) ? 1 : 2;
}
