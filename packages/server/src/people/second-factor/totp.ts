/** Codes by time (RFC 6238) as authenticator apps make them: six digits of SHA-1, anew every 30 seconds. */
import { generateSecret, generateURI, verifySync } from 'otplib';

const STEP_SECONDS = 30;

export function makeTotpSecret(): string {
  return generateSecret();
}

/** What the QR code holds. */
export function totpUri(secret: string, email: string, issuer: string): string {
  return generateURI({ issuer, label: email, secret });
}

/**
 * The time step the code belongs to: this one, the one before, or the next, for clocks that go wrong. Undefined for a
 * code of none of them.
 */
export function findTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: STEP_SECONDS });
  return result.valid ? Math.floor(epoch / STEP_SECONDS) + result.delta : undefined;
}
