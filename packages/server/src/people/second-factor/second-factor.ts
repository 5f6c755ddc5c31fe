import type { Instant } from '../../gate/kernel/instant.ts';

/** Codes by time (RFC 6238) of an authenticator app. */
interface Totp {
  userId: string;
  /** Encrypted under the gate's own key; see `SecretEncryption`. */
  secret: string;
  /** The time step of the latest code that was taken. */
  lastStep: number;
  createdAt: Instant;
  /** Null until the first code proved that the app has the secret. */
  confirmedAt: Instant | null;
}

export interface SecondFactorReader {
  findTotp(userId: string): Promise<Totp | undefined>;
  countRecoveryCodes(userId: string): Promise<number>;
}

export interface SecondFactorWriter {
  /** Inserts, or replaces one that was never confirmed; guard: none is confirmed. */
  saveUnconfirmedTotp(totp: Totp): Promise<boolean>;
  /** Guard: not confirmed yet, and `step` is above the last one. */
  confirmTotp(userId: string, step: number, at: Instant): Promise<boolean>;
  /** Guard: confirmed, and `step` is above the last one. Each code is taken once, whoever is quicker. */
  takeTotpStep(userId: string, step: number): Promise<boolean>;
  deleteTotp(userId: string): Promise<boolean>;
  /** The person's codes are these alone from now on; none: they have none any more. */
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** Guard: it is there. */
  takeRecoveryCode(userId: string, hash: string): Promise<boolean>;
}
