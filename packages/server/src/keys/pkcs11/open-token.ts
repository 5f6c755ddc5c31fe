/** Owns keys that live in a PKCS#11 token: a hardware security module, a smart card, or SoftHSM. */
import { createHash } from 'node:crypto';
import type { Pkcs11Settings } from '../key-settings.ts';
import type { KeyToken } from '../private-parts.ts';
import type { TokenKey } from './token-session.ts';
import { TokenThread } from './token-thread.ts';

/**
 * The token, not touched yet: it is opened by the first request and, when it was lost, by the next one again.
 *
 * @throws Error on a platform whose C interface has another shape
 */
export function openToken({ module, tokenLabel, pin }: Pkcs11Settings): KeyToken {
  if (process.platform === 'win32' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error('PERMITRY_PKCS11_MODULE: tokens are supported on 64-bit Linux and macOS only.');
  }
  const thread = new TokenThread({ module, tokenLabel, pin: pin.export().toString() });
  const toMade = ({ id, label, x, y }: TokenKey) => ({ x, y, object: { id, label } });
  return {
    generate: async () => toMade((await thread.ask({ do: 'generate' })) as TokenKey),
    find: async (wanted) => toMade((await thread.ask({ do: 'find', wanted })) as TokenKey),
    open: ({ id }) => ({
      async sign(signingInput) {
        const digest = createHash('sha256').update(signingInput).digest();
        const signature = (await thread.ask({ do: 'sign', id, digest })) as Uint8Array;
        return Buffer.from(signature).toString('base64url');
      },
    }),
    destroy: async ({ id }) => {
      await thread.ask({ do: 'destroy', id });
    },
    close: () => thread.close(),
  };
}
