/** The keys that this run knows, and their holders. Reports name the holder, never the key. */
export class Secrets {
  readonly #holders = new Map<string, string>();

  add(key: string, holder: string): void {
    this.#holders.set(key, holder);
  }

  holderOf(key: string | undefined): string {
    if (key === undefined) return 'nobody';
    return this.#holders.get(key) ?? 'somebody with a key that is none';
  }

  /** Removes everything secret from a text: a key becomes its holder's name, and a signed token its kind. */
  scrub(text: string): string {
    let scrubbed = text.replaceAll(SIGNED_TOKEN, (token) => `<${kindOf(token)}>`);
    for (const [key, holder] of this.#holders) scrubbed = scrubbed.replaceAll(key, `<key of ${holder}>`);
    return scrubbed.replaceAll(KEY, '<a key>');
  }
}

/** A compact JWS. */
export const SIGNED_TOKEN = /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{43,}/g;
/** A whole key of this gate. */
export const KEY = /prm_(?:user|(?:agent|secret|verify)_(?:test|live))_[0-9A-Za-z]{49}/g;

/** The kind of a signed token, from its header. */
export function kindOf(token: string): string {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    const { typ } = header as { typ?: unknown };
    return typeof typ === 'string' ? typ : 'signed token';
  } catch {
    return 'signed token';
  }
}
