/** Why no backup was made, read or restored: a sentence for the operator, that says what to do. */
export class BackupError extends Error {
  readonly reason: BackupRefusal;

  constructor(reason: BackupRefusal, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BackupError';
    this.reason = reason;
  }
}

export type BackupRefusal =
  /** There is no gate in the data directory. */
  | 'no_gate'
  /** Something stands where the result would be written. */
  | 'occupied'
  /** The file is encrypted, and no key was given. */
  | 'key_missing'
  /** The key is not one, or does not open this file. */
  | 'key_wrong'
  /** Private keys would leave the machine in clear, and nobody said that they may. */
  | 'keys_in_clear'
  /** Not a backup, altered, cut off, or with contents that do not hold together. */
  | 'damaged'
  /** Written by a newer release. */
  | 'newer'
  /** Not the archive, or not the history, that was expected. */
  | 'unexpected'
  /** Not enough room on the disk. */
  | 'no_space';
