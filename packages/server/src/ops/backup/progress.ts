/** How far something long has come: bytes for copying, packing and unpacking, records for checking. */
interface Progress {
  what: 'copying' | 'packing' | 'unpacking' | 'checking';
  done: number;
  total: number;
}

export type OnProgress = (progress: Progress) => void;

/** Hands the chunks on and tells how many bytes there were. */
export async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    tell(bytes);
    yield chunk;
  }
}
