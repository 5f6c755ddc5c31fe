/** A signing key as a database stores it. Only the signing keys module reads and writes its content. */
export interface SigningKeyRecord {
  kid: string;
  document: string;
  /** Proves that a holder of the key-encryption key wrote the document. */
  seal: string;
}

export interface SigningKeyRecordReader {
  /** Grows with every change of a record. */
  findSigningKeyRevision(): Promise<number>;
  listSigningKeyRecords(): Promise<readonly SigningKeyRecord[]>;
}

export interface SigningKeyRecordWriter {
  /**
   * Guard: the revision is still the given one. It then grows by one, and the records replace those with the same kid.
   */
  swapSigningKeyRecords(revision: number, records: readonly SigningKeyRecord[]): Promise<boolean>;
}
