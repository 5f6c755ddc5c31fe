import { serviceUnavailable } from '../refusals.ts';
import type { Servers } from './connections/servers.ts';

/** Rewritten in about a second: those who write meanwhile do not wait longer than for any other change. */
const REWRITTEN_BELOW_BYTES = 128 * 1024 * 1024;

/** Hold texts that can be erased. */
const TABLES = `
  select format('%I.%I', schemaname, relname) as name, pg_total_relation_size(relid) as bytes
  from pg_stat_user_tables
  where schemaname = current_schema()
  order by relname`;

/**
 * Has the database let go of what was overwritten or deleted. `vacuum` empties the places of such rows; in unused
 * parts of a page traces may stay until it is written again, or until a small table is rewritten (`compact`). The
 * database's own journal, its standbys and its backups have lives of their own: docs/operations.md.
 */
export class Forgetting {
  readonly #servers: Servers;
  #running: Promise<void> = Promise.resolve();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** @throws GateError `service_unavailable` when it could not be done just now */
  async ask({ compact = false }: { compact?: boolean } = {}): Promise<void> {
    // One at a time; what was asked for meanwhile may have missed what it is about.
    const mine = this.#running.then(() => this.#vacuum(compact));
    this.#running = mine.catch(() => {});
    return mine;
  }

  async #vacuum(compact: boolean): Promise<void> {
    try {
      const client = await this.#servers.connect();
      try {
        await client.query('set statement_timeout = 0');
        const { rows } = await client.query<{ name: string; bytes: number }>(TABLES);
        for (const { name, bytes } of rows) {
          await client.query(
            compact && bytes < REWRITTEN_BELOW_BYTES ? `vacuum full ${name}` : `vacuum ${name}`,
          );
        }
      } finally {
        await client.end();
      }
    } catch (error) {
      throw serviceUnavailable(error);
    }
  }
}
