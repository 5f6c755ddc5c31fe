const EVERY_MS = 200;

/** One line on a terminal that says how far something long has come, and is gone when it ends. */
export interface ProgressLine {
  /** Seldom enough to be read: `text` is asked for only when it is shown. */
  show(text: () => string): void;
  clear(): void;
}

/** Shows nothing where `stream` is no terminal. */
export function createProgressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  let shownAt = performance.now();
  return {
    show(text) {
      if (performance.now() - shownAt < EVERY_MS) return;
      shownAt = performance.now();
      stream.write(`\r\u001b[K${text()}`);
    },
    clear: () => stream.write('\r\u001b[K'),
  };
}
