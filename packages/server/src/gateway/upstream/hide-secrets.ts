import type { UpstreamSettings } from '../../gate/upstreams/upstream.ts';

/** Shorter secrets occur in any text by chance. */
const LEAST_LENGTH = 6;

/** A part this long does not occur by chance. */
const LONG = 16;
const SHORT = 8;

/**
 * Whether this part of a secret may be replaced anywhere in a result. A short part must contain both letters and
 * digits, because words have no digits and numbers no letters.
 */
function isTelling(part: string): boolean {
  return part.length >= LONG || (part.length >= SHORT && /\p{L}/u.test(part) && /\d/.test(part));
}

/**
 * Removes the secrets sent to a server from that server's results or definitions, wherever they occur. A short word or
 * number stays, because the result may be about it.
 */
export function hideSecretsInResult<T>(said: T, secrets: readonly string[]): T {
  const sought = partsOf(secrets, isTelling);
  return sought.length === 0 ? said : (hideWithin(said, sought) as T);
}

/** Works on the values, not on the JSON text: replacing a number or half an escape in the text would break the JSON. */
function hideWithin(value: unknown, sought: readonly string[]): unknown {
  if (typeof value === 'string') return hide(value, sought);
  if (typeof value === 'number') {
    const hidden = hide(String(value), sought);
    return hidden === String(value) ? value : hidden;
  }
  if (Array.isArray(value)) return value.map((item) => hideWithin(item, sought));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [hide(name, sought), hideWithin(item, sought)]),
  );
}

/**
 * Removes the secrets sent to a server from that server's text, because some servers echo them. Of `Bearer abcdef`, the
 * second word alone also counts as a secret. JSON stays valid.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return hide(
    text,
    partsOf(secrets, ({ length }) => length >= LEAST_LENGTH),
  );
}

function partsOf(secrets: readonly string[], isSought: (part: string) => boolean): readonly string[] {
  return secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]).filter(isSought);
}

function hide(text: string, sought: readonly string[]): string {
  let hidden = text;
  for (const part of sought) {
    hidden = hidden.replaceAll(JSON.stringify(part).slice(1, -1), '(secret)').replaceAll(part, '(secret)');
  }
  return hidden;
}

export function secretsOf(settings: UpstreamSettings): readonly string[] {
  return Object.values(settings.kind === 'http' ? settings.headers : settings.env);
}
