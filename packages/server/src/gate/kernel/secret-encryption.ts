/** Encrypts small secrets that the gate must read again, with a separate key that is not in the database. */
export interface SecretEncryption {
  /**
   * @param purpose The kind and the owner, e.g. `totp usr_…`. A text encrypted for one purpose decrypts for no other.
   * @throws GateError `service_unavailable` while the key cannot be used
   */
  encrypt(purpose: string, text: string): string;
  /**
   * Undefined for a text that was altered, encrypted for another purpose, or with a key that is gone. Throws as
   * `encrypt`.
   */
  decrypt(purpose: string, sealed: string): string | undefined;
}
