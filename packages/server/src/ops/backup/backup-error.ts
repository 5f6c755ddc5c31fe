/** Why a backup could not be made, read or restored. The message tells the operator what to do. */
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
  /** Something already exists where the result would be written. */
  | 'occupied'
  /** The file is encrypted, and no key was given. */
  | 'key_missing'
  /** The key is not a key, or does not open this file. */
  | 'key_wrong'
  /** The backup would contain private keys in clear, and the operator did not allow that. */
  | 'keys_in_clear'
  /** Not a backup, altered, cut off, or with inconsistent contents. */
  | 'damaged'
  /** Written by a newer release. */
  | 'newer'
  /** Not the expected archive or history. */
  | 'unexpected'
  /** Not enough space on the disk. */
  | 'no_space';
