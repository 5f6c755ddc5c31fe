/** PostgreSQL as the gate's storage: a few connections that write, and a few that read committed data. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TransactionOptions } from '../../gate/kernel/storage.ts';
import type { Transaction } from '../nouns.ts';
import { serviceUnavailable } from '../refusals.ts';
import { runEffect } from '../run-effect.ts';
import type { OpenStorage } from '../storage.ts';
import { PostgresBudgets } from './budgets.ts';
import { PostgresBus } from './bus/bus.ts';
import { readIdentity } from './connections/identity.ts';
import { Pool } from './connections/pool.ts';
import { Servers, type SessionSettings } from './connections/servers.ts';
import { DatabaseTime } from './database-time.ts';
import type { OnMigrating } from './migrate.ts';
import { toGateError } from './postgres-error.ts';
import { rewriteTables } from './rewrite-tables.ts';
import { assertSchema, updateSchema } from './schema.ts';
import { CoalescedReads } from './statements/coalesced-reads.ts';
import { PostgresReader } from './stores/stores.ts';
import { GroupedTransactions } from './transactions/grouped-transactions.ts';
import { LoneTransactions } from './transactions/lone-transactions.ts';
import type { Verdict } from './transactions/verdict.ts';
import { analyseYoungTables } from './young-tables.ts';

export interface PostgresStorageOptions {
  /**
   * `postgres://user:password@host:port,host:port/database?sslmode=…`. Of several hosts, the one that takes writes
   * counts.
   */
  url: string;
  /** Connections that only read. */
  readers?: number;
  /** After this long without an answer a connection counts as lost. */
  answerTimeoutMs?: number;
  /** How long to retry a transaction that conflicts with others. */
  retryForMs?: number;
  session?: Partial<SessionSettings>;
  /** Default: updated. `check`: an old one is refused with an `OutdatedSchemaError`. */
  schema?: 'update' | 'check';
  onMigrating?: OnMigrating | undefined;
  /** How often to look for tables that have grown a lot, while there are few rows. */
  analyseEveryMs?: number;
  /** How long a rewrite of the tables waits for transactions that still see erased data. */
  rewritePatienceMs?: number;
}

/** Connections that write: half of them for groups, the others for single transactions. */
const WRITERS = 6;

const DEFAULTS = {
  readers: 4,
  answerTimeoutMs: 12_000,
  retryForMs: 5000,
  schema: 'update' as const,
  rewritePatienceMs: 30_000,
};

/**
 * Opens the database, updates its schema, and checks that it is writable.
 *
 * @throws a plain Error for a database that is not Permitry's, or was written by a newer release; GateError
 * `service_unavailable` when none of the hosts takes writes.
 * @example
 * const storage = await openPostgresStorage({ url: 'postgres://permitry:secret@db1,db2/permitry' });
 * await storage.transaction((tx) => tx.insertProject(project));
 * await storage.close();
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<OpenStorage> {
  const { url, readers, answerTimeoutMs, retryForMs, session, schema, ...more } = { ...DEFAULTS, ...options };
  const servers = new Servers(url, session);
  await (schema === 'update' ? updateSchema(servers, more.onMigrating) : assertSchema(servers));
  const stopWatching = servers.watch();
  const writing = new Pool(servers, WRITERS, answerTimeoutMs);
  const reading = new Pool(servers, readers, answerTimeoutMs);
  const reads = new CoalescedReads(reading);
  const stopAnalysing = analyseYoungTables(writing, more.analyseEveryMs);
  const current = new AsyncLocalStorage<{ readonly isOpen: boolean }>();
  const lone = new LoneTransactions(writing, current, { retryForMs });
  const counting = new Pool(servers, 1, answerTimeoutMs);
  const grouped = new GroupedTransactions(writing, reads, lone, current);
  const counts = { transactions: 0, refusedTransactions: 0 };
  const underWay = new Set<Promise<Verdict>>();
  const times: DatabaseTime[] = [];
  let closed = false;

  async function run(work: (tx: Transaction) => Promise<unknown>, { guarded = false }: TransactionOptions) {
    return guarded ? grouped.run(work) : lone.run(work, 'serializable');
  }

  const read = new PostgresReader(reads);
  return {
    budgets: new PostgresBudgets(counting),
    read,
    async transaction<T>(work: (tx: Transaction) => Promise<T>, how: TransactionOptions = {}): Promise<T> {
      if (current.getStore()?.isOpen) {
        throw new Error('a transaction inside a transaction would wait for itself forever');
      }
      if (closed) throw serviceUnavailable(new Error('the storage is closed'));
      const asked = run(work, how);
      underWay.add(asked);
      const verdict = await asked.finally(() => underWay.delete(asked));
      counts.transactions += 1;
      if (verdict.kind === 'refused') {
        counts.refusedTransactions += 1;
        throw verdict.error;
      }
      for (const effect of verdict.effects) runEffect(effect);
      return verdict.value as T;
    },
    // Takes locks, and needs a role with that right, so it is not for a request.
    async forget({ rewrite = false, onTable } = {}) {
      if (rewrite) await rewriteTables(servers, { patienceMs: more.rewritePatienceMs, onTable });
      return rewrite;
    },
    async openTime() {
      const time = await DatabaseTime.open(reads);
      times.push(time);
      return () => time.nowMs();
    },
    async identity() {
      try {
        const client = await servers.connect();
        return await readIdentity(client).finally(() => client.end());
      } catch (error) {
        throw toGateError(error);
      }
    },
    onPromotion: (listener) => {
      servers.onPromotion = listener;
    },
    openBus: (onError) => new PostgresBus({ connect: () => servers.connect(), onError }),
    stats: () => ({
      ...counts,
      commits: lone.counts.commits + grouped.counts.commits,
      failedGroups: grouped.counts.failedGroups,
      largestGroup: grouped.counts.largestGroup,
      statementsRead: reading.statements,
      statementsWritten: writing.statements,
      retries: lone.counts.retries,
      promotions: servers.promotions,
      ...standingOf([writing, reading, counting]),
    }),
    async close() {
      closed = true;
      stopWatching();
      stopAnalysing();
      for (const time of times) time.close();
      await Promise.all(underWay);
      await Promise.all([writing.close(), reading.close(), counting.close()]);
    },
  };
}

function standingOf(pools: readonly Pool[]): { poolInUse: number; poolIdle: number; poolWaiting: number } {
  const sum = (of: keyof Pool['standing']): number =>
    pools.reduce((total, { standing }) => total + standing[of], 0);
  return { poolInUse: sum('inUse'), poolIdle: sum('idle'), poolWaiting: sum('waiting') };
}
