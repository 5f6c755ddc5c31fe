import { NewestKept } from '../kernel/newest-kept.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { CredentialReader, CredentialRecord } from './credential.ts';

const MOST_KEPT = 10_000;

/**
 * Credentials by the SHA-256 of their key, cached while the revision of their project stays the same. Every change of a
 * key, of its owner's membership, of its agent or of its project raises the revision. The gate reads the revision for
 * every request, so a revocation, pause or stop takes effect on the next call. The cache only saves reading the rest.
 */
export class KeptCredentials {
  readonly #reader: CredentialReader & ProjectReader;
  #kept = new NewestKept<string, CredentialRecord>(MOST_KEPT);
  /** Revision look-ups by project, shared by the requests of one turn of the event loop. */
  readonly #asked = new Map<string, Promise<number | undefined>>();

  /** @param reader Sees only what is committed. */
  constructor(reader: CredentialReader & ProjectReader) {
    this.#reader = reader;
  }

  /** Call it after the database lost its latest changes: it may give the same revision to different content. */
  forget(): void {
    this.#kept = new NewestKept(MOST_KEPT);
    this.#asked.clear();
  }

  async find(keyHash: string): Promise<CredentialRecord | undefined> {
    const kept = this.#kept.get(keyHash);
    if (kept?.project) {
      const revision = await this.#revisionOf(kept.project.id);
      if (revision === kept.project.revision && this.#kept.get(keyHash) === kept) return kept;
    }
    const record = await this.#reader.findCredential(keyHash);
    // A person's token belongs to no project, so no revision covers the token, and it is read every time.
    if (record?.project) this.#kept.keep(keyHash, record);
    else this.#kept.drop(keyHash);
    return record;
  }

  /**
   * Reads the revision once for all requests of a turn of the event loop, at the end of the turn. So no answer is older
   * than its request. Taking the database's lock costs more than reading the row.
   */
  #revisionOf(projectId: string): Promise<number | undefined> {
    const asked = this.#asked.get(projectId);
    if (asked) return asked;
    const asking = yieldToEventLoop().then(() => {
      if (this.#asked.get(projectId) === asking) this.#asked.delete(projectId);
      return this.#reader.findProjectRevision(projectId);
    });
    this.#asked.set(projectId, asking);
    return asking;
  }
}
