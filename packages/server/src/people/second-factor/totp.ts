/** Time-based codes (RFC 6238) as authenticator apps make them: SHA-1, six digits, a new code every 30 seconds. */
import { generateSecret, generateURI, verifySync } from 'otplib';

const STEP_SECONDS = 30;

export function makeTotpSecret(): string {
  return generateSecret();
}

/** The content of the QR code. */
export function totpUri(secret: string, email: string, issuer: string): string {
  return generateURI({ issuer, label: email, secret });
}

/**
 * The time step of the code: this one, the one before or the next, because clocks differ. Undefined for a code of any
 * other step.
 */
export function findTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: STEP_SECONDS });
  return result.valid ? Math.floor(epoch / STEP_SECONDS) + result.delta : undefined;
}
