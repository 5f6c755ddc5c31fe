/** A colour of ours, which takes no room (no control character but ours comes so far), or one character. */
const PIECES = /\p{Cc}\[\d+m|./gsu;
const ASCII = /^[\u0020-\u007e]$/;
/** No line of ours begins so. */
const GOES_ON = '> ';
const NARROWEST = 20;

/**
 * Breaks lines before a terminal does, and marks how each goes on. Else whoever knows how wide it is could begin a line,
 * and write one there that looks like ours.
 *
 * @param columns Left out: no terminal is written to, and nothing is broken.
 */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  // A terminal that does not know says 0.
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

/** Some letters take two columns; whoever takes all others for such breaks too early, and never too late. */
function widthOf(piece: string): number {
  if (piece.startsWith('\u001b')) return 0;
  return ASCII.test(piece) ? 1 : 2;
}
