/**
 * The list of a Token Status List (draft-ietf-oauth-status-list, "Status List"). It holds a few bits for each token,
 * packed from each byte's least significant bit on. DEFLATE in the ZLIB format compresses it.
 */
import { decodeBase64url } from './base64url.ts';

/** Bits per status. */
export type StatusBits = 1 | 2 | 4 | 8;

/** The registered status types that this gate uses. */
export const STATUS_TYPE = { VALID: 0, INVALID: 1, SUSPENDED: 2 } as const;

/** `status_list` in JSON. */
export interface EncodedStatusList {
  bits: StatusBits;
  /** The compressed bytes, base64url. */
  lst: string;
}

/** Unpacked: 2^20 statuses of 8 bits, like the draft's largest example. No honest list is larger. */
const MOST_BYTES = 1 << 20;

/** Statuses of many tokens, initially all 0 (`VALID`). */
export class StatusList {
  readonly bits: StatusBits;
  readonly bytes: Uint8Array;

  /** @param bytes Holds `bytes.length * 8 / bits` statuses. */
  constructor(bits: StatusBits, bytes: Uint8Array) {
    this.bits = bits;
    this.bytes = bytes;
  }

  /** @example const list = StatusList.ofSize(131_072, 2); list.set(7, STATUS_TYPE.INVALID); */
  static ofSize(statuses: number, bits: StatusBits): StatusList {
    return new StatusList(bits, new Uint8Array(Math.ceil((statuses * bits) / 8)));
  }

  get size(): number {
    return (this.bytes.length * 8) / this.bits;
  }

  /** Undefined outside the list. The token's status is then unknown, and the caller must refuse it. */
  get(index: number): number | undefined {
    if (!this.#holds(index)) return undefined;
    const { byte, shift } = this.#slot(index);
    return ((this.bytes[byte] ?? 0) >> shift) & this.#mask;
  }

  /** @throws RangeError outside the list, or for a status that does not fit its bits. */
  set(index: number, status: number): void {
    if (!this.#holds(index)) throw new RangeError(`the list has no place ${index}`);
    if (!Number.isInteger(status) || status < 0 || status > this.#mask) {
      throw new RangeError(`the status ${status} does not fit in ${this.bits} bits`);
    }
    const { byte, shift } = this.#slot(index);
    this.bytes[byte] = ((this.bytes[byte] ?? 0) & ~(this.#mask << shift)) | (status << shift);
  }

  get #mask(): number {
    return (1 << this.bits) - 1;
  }

  #holds(index: number): boolean {
    return Number.isInteger(index) && index >= 0 && index < this.size;
  }

  #slot(index: number): { byte: number; shift: number } {
    const perByte = 8 / this.bits;
    return { byte: Math.floor(index / perByte), shift: (index % perByte) * this.bits };
  }
}

/** Unpacks a list. Undefined if it is not a list or unpacks to more than 1 MiB. Never throws. */
export async function decodeStatusList(encoded: EncodedStatusList): Promise<StatusList | undefined> {
  const { bits, lst } = encoded;
  if (![1, 2, 4, 8].includes(bits) || typeof lst !== 'string') return undefined;
  const packed = decodeBase64url(lst);
  const bytes = packed && (await inflate(packed));
  return bytes && new StatusList(bits, bytes);
}

/** Uses the browsers' own decompressor (`deflate` is the ZLIB format) and stops it once it has returned too much. */
async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // Not every browser can iterate over a stream.
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > MOST_BYTES) {
        await reader.cancel();
        return undefined;
      }
      chunks.push(next.value);
    }
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(length);
  let written = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, written);
    written += chunk.length;
  }
  return bytes;
}
