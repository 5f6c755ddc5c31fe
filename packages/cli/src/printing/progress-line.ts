const EVERY_MS = 200;

/** A terminal line that shows the progress of long work, and disappears when the work ends. */
export interface ProgressLine {
  /** Updates rarely enough to be readable. Calls `text` only to show it. */
  show(text: () => string): void;
  clear(): void;
}

/** Shows nothing if `stream` is not a terminal. */
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
