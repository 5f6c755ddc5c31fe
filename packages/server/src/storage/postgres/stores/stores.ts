/** The stores over PostgreSQL: the shared queries, and in their place here whatever this database does in its own way. */

import type { AfterCommit } from '../../../gate/kernel/storage.ts';
import type { Transaction } from '../../nouns.ts';
import { type Overrides, storesWith } from '../../queries/stores.ts';
import type { QueryRunner } from '../../sql/prepared-query.ts';
import { agentOverrides } from './agents.ts';
import { postgresAuditReads, postgresAuditWrites } from './audit.ts';
import { postgresHeartbeatReads, postgresHeartbeatWrites } from './heartbeats.ts';
import { HoldableText } from './holdable-text.ts';
import { postgresIntentReads, postgresIntentWrites } from './intents.ts';
import { bumpUnderLock, isAtRevisionForUpdate, isAtRevisionUnderLock } from './project-lock.ts';

const reads: Overrides['reads'] = {
  ...agentOverrides,
  ...postgresAuditReads,
  ...postgresHeartbeatReads,
  ...postgresIntentReads,
};

const writes: Overrides['writes'] = {
  ...postgresAuditWrites,
  ...postgresHeartbeatWrites,
  ...postgresIntentWrites,
  bumpProjectRevision: bumpUnderLock,
};

/** What a work is handed: the writer, and where it leaves what is to be done at the end. */
export function toTransaction(
  writer: Omit<Transaction, keyof AfterCommit>,
  { checks, effects }: { checks: (() => void)[]; effects: (() => void)[] },
): Transaction {
  return Object.assign(writer, {
    beforeCommit: (check: () => void): void => void checks.push(check),
    afterCommit: (effect: () => void): void => void effects.push(effect),
  });
}

const over = (run: QueryRunner) => new HoldableText(run);

export const PostgresReader = storesWith({ reads, writes, over }).Reader;

/** Over a transaction at READ COMMITTED, in which each statement sees what was committed before it. */
export const GuardedWriter = storesWith({
  reads: { ...reads, isAtRevision: isAtRevisionUnderLock },
  writes,
  over,
}).Writer;

/** Over a transaction at SERIALIZABLE, which sees what was committed before its first statement. */
export const SerializableWriter = storesWith({
  reads: { ...reads, isAtRevision: isAtRevisionForUpdate },
  writes,
  over,
}).Writer;
