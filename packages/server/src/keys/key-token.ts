import type { Pkcs11Settings } from './key-settings.ts';
import type { TokenObject } from './stored-key.ts';

/** A key that was made in hardware and stays there. */
export interface TokenKey extends TokenObject {
  x: string;
  y: string;
}

/** Keys in hardware. A separate, optional package implements this. */
export interface KeyToken {
  generate(): Promise<TokenKey>;
  /** Finds a key that somebody else made there. */
  find(wanted: { id?: string; label?: string }): Promise<TokenKey>;
  /** 64 bytes r‖s over the SHA-256 of the text, base64url. */
  sign(id: string, signingInput: string): Promise<string>;
  destroy(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Null without a module. @throws Error if the package that talks to tokens is not installed */
export async function openKeyToken(settings: Pkcs11Settings | null): Promise<KeyToken | null> {
  if (!settings) return null;
  const { module, tokenLabel, pin } = settings;
  const { openToken } = await import('@permitry/pkcs11').catch((cause) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(
      'PERMITRY_PKCS11_MODULE is set, and the package that talks to tokens is not installed; run: npm install @permitry/pkcs11',
      { cause },
    );
  });
  return openToken({ module, tokenLabel, pin: pin.export().toString() });
}
