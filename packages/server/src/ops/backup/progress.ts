/** Progress of a long task: bytes for copying, packing and unpacking, records for checking. */
interface Progress {
  what: 'copying' | 'packing' | 'unpacking' | 'checking';
  done: number;
  total: number;
}

export type OnProgress = (progress: Progress) => void;

/** Passes the items on and shows each one to `see`. */
export async function* passing<T>(
  items: AsyncIterable<T>,
  see: (item: T) => void,
): AsyncGenerator<T, void, void> {
  for await (const item of items) {
    see(item);
    yield item;
  }
}

/** Passes the chunks on and reports the bytes so far. */
export function countBytes(
  chunks: AsyncIterable<Uint8Array>,
  tell: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  return passing(chunks, ({ length }) => {
    bytes += length;
    tell(bytes);
  });
}
