import type { UpstreamSettings } from '../../gate/upstreams/upstream.ts';

/** Shorter ones stand in any text by chance. */
const LEAST_LENGTH = 6;

/** From here on no word of a text is the same by chance. */
const LONG = 16;
const SHORT = 8;

/**
 * Whether a text may be searched for wherever it stands: a short one only with letters and digits in it, for words have
 * no digits and numbers no letters.
 */
function isTelling(part: string): boolean {
  return part.length >= LONG || (part.length >= SHORT && /\p{L}/u.test(part) && /\d/.test(part));
}

/**
 * A result, or a definition, of a server without the secrets that were sent to it, wherever in it they stand. A short
 * word or number stays: it may be what the result is about.
 */
export function hideSecretsInResult<T>(said: T, secrets: readonly string[]): T {
  const sought = partsOf(secrets, isTelling);
  return sought.length === 0 ? said : (hideWithin(said, sought) as T);
}

/** In the values and not in their JSON: a number that became words, or half an escape, would leave none. */
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
 * A text of a server, without the secrets that were sent to it: some give back what they were asked with. Of
 * `Bearer abcdef` the second word alone is one too. JSON stays JSON.
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
