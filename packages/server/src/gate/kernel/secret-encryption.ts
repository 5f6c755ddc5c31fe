/** Encrypts small secrets that the gate has to read again, under a key of its own that is not in the database. */
export interface SecretEncryption {
  /**
   * @param purpose What it is and whose, e.g. `totp usr_…`; a text sealed for one purpose opens for no other.
   * @throws GateError `service_unavailable` while the key cannot be used
   */
  encrypt(purpose: string, text: string): string;
  /** Undefined for a text that was altered, sealed for another purpose, or under a key that is gone. Throws as `seal`. */
  decrypt(purpose: string, sealed: string): string | undefined;
}
