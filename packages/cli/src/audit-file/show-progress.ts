const EVERY_MS = 200;

/** Hands the lines on, and tells on a terminal how many there were so far. */
export async function* showProgress(
  lines: AsyncIterable<string>,
  what: string,
  stream: NodeJS.WriteStream = process.stderr,
): AsyncGenerator<string, void, void> {
  if (!stream.isTTY) return yield* lines;
  let count = 0;
  let shownAt = performance.now();
  try {
    for await (const line of lines) {
      yield line;
      count += 1;
      if (performance.now() - shownAt < EVERY_MS) continue;
      shownAt = performance.now();
      stream.write(`\r${what} ${count.toLocaleString('en')} lines …`);
    }
  } finally {
    stream.write('\r\u001b[K');
  }
}
