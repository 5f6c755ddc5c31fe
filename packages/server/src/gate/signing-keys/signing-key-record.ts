/** A signing key as a database stores it. Only the signing keys module reads and writes its document. */
export interface SigningKeyRecord {
  kid: string;
  document: string;
  /** Proves that the document was written by a gate that has the key-encryption key. */
  seal: string;
}

export interface SigningKeyRecordReader {
  /** Grows with every change of a record. */
  findSigningKeyRevision(): Promise<number>;
  listSigningKeyRecords(): Promise<readonly SigningKeyRecord[]>;
}

export interface SigningKeyRecordWriter {
  /**
   * Guard: the revision is still the given one. The revision then grows by one, and the records replace those with the
   * same kid.
   */
  swapSigningKeyRecords(revision: number, records: readonly SigningKeyRecord[]): Promise<boolean>;
}
