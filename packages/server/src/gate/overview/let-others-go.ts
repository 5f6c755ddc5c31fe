/** Between two steps of a long piece of work: whoever waits is served first. */
export function letOthersGo(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
