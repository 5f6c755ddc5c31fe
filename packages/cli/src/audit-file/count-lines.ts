import { createProgressLine } from '../printing/progress-line.ts';

/** Passes the lines on. On a terminal, shows how many lines it has passed on so far. */
export async function* countLines(
  lines: AsyncIterable<string>,
  what: string,
): AsyncGenerator<string, void, void> {
  const progress = createProgressLine();
  let count = 0;
  try {
    for await (const line of lines) {
      yield line;
      count += 1;
      progress.show(() => `${what} ${count.toLocaleString('en')} lines …`);
    }
  } finally {
    progress.clear();
  }
}
