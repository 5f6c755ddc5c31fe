/** The stores over PostgreSQL: the shared queries, and replacements where this database differs. */
import type { Transaction } from '../../nouns.ts';
import { type Queries, type Store, storeWith } from '../../queries/stores.ts';
import type { QueryRunner } from '../../sql/prepared-query.ts';
import { postgresAgents } from './agents.ts';
import { postgresAudit } from './audit.ts';
import { postgresHeartbeats } from './heartbeats.ts';
import { HoldableText } from './holdable-text.ts';
import { postgresIntents } from './intents.ts';
import { postgresMandateUses } from './mandate-uses.ts';
import { bumpUnderLock, isAtRevisionForUpdate, isAtRevisionUnderLock } from './project-lock.ts';

const own: Partial<Queries> = {
  ...postgresAgents,
  ...postgresAudit,
  ...postgresHeartbeats,
  ...postgresIntents,
  ...postgresMandateUses,
  bumpProjectRevision: bumpUnderLock,
};

/** The object that a transaction's work receives: the writer, plus hooks for its end. */
export function toTransaction(
  writer: Store,
  { checks, effects }: { checks: (() => void)[]; effects: (() => void)[] },
): Transaction {
  return Object.assign(writer, {
    beforeCommit: (check: () => void): void => void checks.push(check),
    afterCommit: (effect: () => void): void => void effects.push(effect),
  });
}

const over = (run: QueryRunner) => new HoldableText(run);

export const PostgresReader = storeWith(own, over);

/** Over a transaction at READ COMMITTED, in which each statement sees what was committed before it. */
export const GuardedWriter = storeWith({ ...own, isAtRevision: isAtRevisionUnderLock }, over);

/** Over a transaction at SERIALIZABLE, which sees what was committed before its first statement. */
export const SerializableWriter = storeWith({ ...own, isAtRevision: isAtRevisionForUpdate }, over);
