import type { Reader } from '../ports.ts';
import type { CredentialRecord } from './credential.ts';

const MOST_KEPT = 10_000;

/**
 * Credentials by the SHA-256 of their key, kept while the revision of their project stays: every change of a key, of
 * its owner's membership, of its agent or of its project raises that. The revision is read for every request, so
 * whatever was revoked, paused or stopped bites on the very next call; only the reading of the rest is saved.
 */
export class KeptCredentials {
  readonly #reader: Reader;
  readonly #kept = new Map<string, CredentialRecord>();

  /** @param reader Sees only what is committed. */
  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async find(keyHash: string): Promise<CredentialRecord | undefined> {
    const kept = this.#kept.get(keyHash);
    if (kept?.project) {
      const revision = await this.#reader.findProjectRevision(kept.project.id);
      if (revision === kept.project.revision) return kept;
    }
    const record = await this.#reader.findCredential(keyHash);
    this.#kept.delete(keyHash);
    // A person's token belongs to no project, so nothing tells when it changes: it is read every time.
    if (record?.project) this.#keep(keyHash, record);
    return record;
  }

  #keep(keyHash: string, record: CredentialRecord): void {
    if (this.#kept.size >= MOST_KEPT) {
      const oldest = this.#kept.keys().next();
      if (!oldest.done) this.#kept.delete(oldest.value);
    }
    this.#kept.set(keyHash, record);
  }
}
