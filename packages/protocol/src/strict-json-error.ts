/**
 * Why a text is not strict JSON. `message` is a complete sentence that a client may be shown. It quotes at most a
 * short, escaped piece of a member name.
 */
export class StrictJsonError extends Error {
  /** Byte offset into the input. */
  readonly position: number;
  /** JSON Pointer (RFC 6901) of the wrong value or member; '' for the document itself. */
  readonly path: string;

  constructor(problem: string, position: number, path: string) {
    super(`${problem} (at byte ${position}${path === '' ? '' : `, in ${quoteForMessage(path)}`}).`);
    this.name = 'StrictJsonError';
    this.position = position;
    this.path = path;
  }
}

const LONGEST_QUOTE = 60;

/** Quotes hostile text for a message: escaped, and with a mark where it was cut. */
export function quoteForMessage(text: string): string {
  const cut = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return JSON.stringify(cut);
}
