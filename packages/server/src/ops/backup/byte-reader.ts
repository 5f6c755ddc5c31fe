/** Reads a stream of chunks by number of bytes, with at most one chunk in memory. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly this many bytes in one buffer. Throws when the stream ends before. */
  async read(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.take(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Exactly this many bytes, in pieces. Throws when the stream ends before. */
  async *take(count: number): AsyncGenerator<Buffer, void, void> {
    let missing = count;
    while (missing > 0) {
      if (!(await this.#fill())) throw new Error('the archive ends too early');
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    return true;
  }
}
