/** A signing key as a database keeps it. Only the room of the signing keys reads and writes what it says. */
export interface SigningKeyRecord {
  kid: string;
  document: string;
  /** Whoever holds the key-encryption key wrote the document. */
  seal: string;
}

export interface SigningKeyRecordReader {
  /** Greater after every change of a record. */
  findSigningKeyRevision(): Promise<number>;
  listSigningKeyRecords(): Promise<readonly SigningKeyRecord[]>;
}

export interface SigningKeyRecordWriter {
  /** Guard: the revision is still that one. Then it grows by one, and the records are put over those of the same kid. */
  swapSigningKeyRecords(revision: number, records: readonly SigningKeyRecord[]): Promise<boolean>;
}
