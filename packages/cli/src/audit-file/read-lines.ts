/**
 * Replaces a line that is not UTF-8. No export contains this text as a line, so the verifier reports the line as
 * malformed.
 */
const NO_LINE = '\uFFFD';
/** A record has a few kilobytes. Input with a longer line than this is not an export, and must not fill the memory. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a byte stream, in constant memory. Splits only at LF: `node:readline` also splits at U+2028, which may
 * appear inside a record. A line that is not UTF-8 becomes a line that no export holds.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let open: Buffer[] = [];
  let openBytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield decode([...open, chunk.subarray(from, end)]);
      open = [];
      openBytes = 0;
      from = end + 1;
    }
    open.push(chunk.subarray(from));
    openBytes += chunk.length - from;
    if (openBytes > LONGEST_LINE_BYTES) {
      yield NO_LINE;
      return;
    }
  }
  if (openBytes > 0) yield decode(open);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(parts: readonly Buffer[]): string {
  const [only] = parts;
  const bytes = parts.length === 1 && only ? only : Buffer.concat(parts);
  try {
    return decoder.decode(bytes).replace(/\r$/, '');
  } catch {
    return NO_LINE;
  }
}
