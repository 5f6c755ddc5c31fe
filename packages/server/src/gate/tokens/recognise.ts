import { decodePermit, type PermitClaims, type ProjectMode, sha256Hex } from '@permitry/protocol';
import { NewestKept } from '../kernel/newest-kept.ts';
import type { Signer } from '../kernel/signer.ts';
import { permitInvalid } from './permit-refusal.ts';

interface Recognised {
  kid: string;
  claims: PermitClaims;
}

/** Permits live for five minutes by default. At 33 approvals a second, this number covers all of them. */
const MOST_REMEMBERED = 10_000;

/**
 * Recognises this gate's own permits. Signatures are expensive, so each process makes or checks the signature of a
 * token once. It then remembers the token's SHA-256, because a valid signature stays valid. Everything that can change
 * is checked every time, here or by the caller: withdrawn key, expiry, use, revocation, pause, stop, policy.
 */
export class PermitRecogniser {
  readonly #signer: Signer;
  // A permit lives for minutes, so the oldest entry has most likely expired.
  readonly #remembered = new NewestKept<string, Recognised>(MOST_REMEMBERED);

  constructor(signer: Signer) {
    this.#signer = signer;
  }

  /**
   * The claims of a well-formed permit of this mode, signed by a key that is still published. Throws for any other
   * text.
   */
  async recognise(token: string, mode: ProjectMode): Promise<PermitClaims> {
    const name = nameOf(token, mode);
    const known = this.#remembered.get(name);
    if (known) {
      if (!this.#signer.publicKey(known.kid)) throw permitInvalid('unknown_key');
      return known.claims;
    }
    const decoded = decodePermit(token, { mode });
    if (!decoded.ok) throw permitInvalid(decoded.reason);
    const { kid } = decoded.header;
    // Another gate may have just signed the permit, with a key that this gate does not know yet.
    if (!this.#signer.publicKey(kid)) await this.#signer.refresh();
    if (!this.#signer.publicKey(kid)) throw permitInvalid('unknown_key');
    if (!(await this.#signer.verify(kid, decoded.signingInput, decoded.signature))) {
      throw permitInvalid('tampered');
    }
    this.#remembered.keep(name, { kid, claims: decoded.claims });
    return decoded.claims;
  }

  /** Remembers a permit that this process has just signed with that key. */
  remember(token: string, mode: ProjectMode, signed: Recognised): void {
    this.#remembered.keep(nameOf(token, mode), signed);
  }
}

function nameOf(token: string, mode: ProjectMode): string {
  return `${mode}:${sha256Hex(token)}`;
}
