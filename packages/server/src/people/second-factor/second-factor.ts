import type { Instant } from '../../gate/kernel/instant.ts';

/** An authenticator app with time-based codes (RFC 6238). */
interface Totp {
  userId: string;
  /** Encrypted under the gate's own key. See `SecretEncryption`. */
  secret: string;
  /** The time step of the last accepted code. */
  lastStep: number;
  createdAt: Instant;
  /** Null until a first code proves that the app has the secret. */
  confirmedAt: Instant | null;
}

export interface SecondFactorReader {
  findTotp(userId: string): Promise<Totp | undefined>;
  countRecoveryCodes(userId: string): Promise<number>;
}

export interface SecondFactorWriter {
  /** Inserts an app, or replaces an unconfirmed one. Guard: the person has no confirmed app. */
  saveUnconfirmedTotp(totp: Totp): Promise<boolean>;
  /** Guard: the app is not confirmed yet, and `step` is above the last step. */
  confirmTotp(userId: string, step: number, at: Instant): Promise<boolean>;
  /**
   * Guard: the app is confirmed, and `step` is above the last step. So each code is accepted only once, even for
   * concurrent callers.
   */
  takeTotpStep(userId: string, step: number): Promise<boolean>;
  deleteTotp(userId: string): Promise<boolean>;
  /** Replaces all of the person's codes with these. An empty list removes them. */
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** Guard: the code exists. */
  takeRecoveryCode(userId: string, hash: string): Promise<boolean>;
}
