/** What no line of an export is, so that the verifier names the line as malformed. */
const NO_LINE = '\uFFFD';
/** A record is some kilobytes; whatever has more in one line is no export, and must not fill the memory. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a byte stream in constant memory. Split at LF alone: `node:readline` splits at U+2028 as well, which
 * may stand inside a record. A line that is not UTF-8 comes as one that no export holds.
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
