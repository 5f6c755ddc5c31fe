const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

/** A key that nobody else generates: 128 random bits. Not `randomUUID`, which pages without TLS lack. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @throws TypeError */
export function assertIdempotencyKey(key: string): void {
  if (typeof key === 'string' && KEY_FORM.test(key)) return;
  throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters');
}
