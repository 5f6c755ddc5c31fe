/** Keys in a PKCS#11 token: a hardware security module, a smart card, or SoftHSM. */
import { createHash } from 'node:crypto';
import type { TokenKey } from './token-session.ts';
import { TokenThread, type TokenWorkerData } from './token-thread.ts';

export type { TokenKey };

/** The path of the module, a shared library; the token's label, null for the only token; the user's PIN. */
export type TokenSettings = TokenWorkerData;

/** ES256 keys that are made in the token and stay there. Every call rejects with the token's error. */
export interface Token {
  generate(): Promise<TokenKey>;
  /** Finds a key that another program made in the token. `id` is its CKA_ID in hexadecimal. */
  find(wanted: { id?: string; label?: string }): Promise<TokenKey>;
  /** 64 bytes r‖s over the SHA-256 of the text, base64url. */
  sign(id: string, signingInput: string): Promise<string>;
  /** Permanently deletes the EC keys with this ID from the token. */
  destroy(id: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the token without opening it. The first request opens it. If it is lost, the next request opens it again.
 * @throws Error on a platform whose C interface has another layout
 * @example
 * const token = openToken({ module: '/usr/lib/softhsm/libsofthsm2.so', tokenLabel: null, pin: '87654321' });
 */
export function openToken(settings: TokenSettings): Token {
  if (process.platform === 'win32' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error('PERMITRY_PKCS11_MODULE: tokens are supported on 64-bit Linux and macOS only.');
  }
  const thread = new TokenThread(settings);
  return {
    generate: () => thread.ask('generate'),
    find: (wanted) => thread.ask('find', wanted),
    async sign(id, signingInput) {
      const digest = createHash('sha256').update(signingInput).digest();
      return Buffer.from(await thread.ask('sign', id, digest)).toString('base64url');
    },
    destroy: (id) => thread.ask('destroy', id),
    close: () => thread.close(),
  };
}
