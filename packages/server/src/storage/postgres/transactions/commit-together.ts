/** Runs several recorded works in one transaction, in two packets: all their reads and changes, then the commit. */
import { isServiceUnavailable } from '../../refusals.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import { endsConnection, isUnavailable } from '../postgres-error.ts';
import { changeEach } from '../statements/change-each.ts';
import type { Statement } from '../statements/statements.ts';
import { commit } from './lone-transactions.ts';
import type { Step, WrittenWork } from './written-work.ts';

export type Outcome =
  | { kind: 'committed' }
  /**
   * The transaction was rolled back. The works in `overtaken` must run alone. If it is empty, it is unknown which work
   * was the cause.
   */
  | { kind: 'undone'; overtaken: ReadonlySet<WrittenWork> }
  /** The connection broke during the commit: everything was committed or nothing, and the gate cannot know which. */
  | { kind: 'refused'; error: unknown };

export async function commitTogether(
  connection: PostgresConnection,
  works: readonly WrittenWork[],
): Promise<Outcome> {
  const overtaken = new Set<WrittenWork>();
  try {
    const { answers, changes } = send(connection, works);
    const [told, missed] = await Promise.all([Promise.all(answers), Promise.all(changes)]);
    const now = new Map(told);
    for (const work of works) if (!stands(work, now)) overtaken.add(work);
    for (const work of missed.flatMap((some) => some ?? [])) overtaken.add(work);
    if (overtaken.size === 0 && !missed.includes(undefined)) {
      await commit(connection);
      return { kind: 'committed' };
    }
  } catch (error) {
    if (isServiceUnavailable(error)) return { kind: 'refused', error };
    // The connection was lost, or a lock was not granted in time. Retrying in halves would only make the works wait one
    // after another.
    if (endsConnection(error) || isUnavailable(error)) for (const work of works) overtaken.add(work);
  }
  await connection.send({ text: 'rollback' }).catch(() => {});
  return { kind: 'undone', overtaken };
}

/** Sends everything in one packet. All reads come before all changes, so no work sees what another one writes. */
function send(connection: PostgresConnection, works: readonly WrittenWork[]) {
  return connection.together(() => {
    connection.send({ text: 'begin isolation level read committed' }).catch(() => {});
    for (const [, { statement, params }] of distinct(works.flatMap(({ locks }) => locks))) {
      connection.send(statement.one(params)).catch(() => {});
    }
    const answers = distinct(works.flatMap(({ told }) => told)).map(
      async ([key, { statement, params }]): Promise<[string, string]> => {
        const { rows } = await connection.send(statement.one(params));
        return [key, JSON.stringify(rows)];
      },
    );
    const changes = inOrder(works.toSorted(byFirstRow)).map(async ({ statement, list, by }) => {
      const missed = await changeEach(connection, statement, list);
      return missed?.flatMap((index) => by[index] ?? []);
    });
    return { answers, changes };
  });
}

/** Whether the transaction read the same answers that the work relied on, and the work's checks still pass. */
function stands({ told, checks }: WrittenWork, now: ReadonlyMap<string, string>): boolean {
  if (told.some((step) => now.get(keyOf(step)) !== JSON.stringify(step.rows))) return false;
  try {
    for (const check of checks) check();
    return true;
  } catch {
    return false;
  }
}

/** Each step once, sorted, so that two transactions that take the same locks never deadlock. */
function distinct(steps: readonly Step[]): [string, Step][] {
  return [...new Map(steps.map((step) => [keyOf(step), step]))].sort(([a], [b]) => (a < b ? -1 : 1));
}

function keyOf({ statement, params }: Step): string {
  return statement.keyFor(params);
}

/** Two transactions that change the same rows do so in the same order. */
function byFirstRow(a: WrittenWork, b: WrittenWork): number {
  return firstRowOf(a) < firstRowOf(b) ? -1 : 1;
}

function firstRowOf({ changes: [first] }: WrittenWork): string {
  return first && 'id' in first.params ? String(first.params.id) : '';
}

interface Changes {
  readonly statement: Statement;
  readonly list: object[];
  /** The work of each change. */
  readonly by: WrittenWork[];
}

/** Merges equal statements, and keeps each work's own order. */
function inOrder(works: readonly WrittenWork[]): readonly Changes[] {
  const all: Changes[] = [];
  for (const work of works) {
    let earliest = 0;
    for (const { statement, params } of work.changes) {
      const found = all.findIndex((known, place) => place >= earliest && known.statement === statement);
      if (found < 0) earliest = all.push({ statement, list: [params], by: [work] }) - 1;
      else {
        all[found]?.list.push(params);
        all[found]?.by.push(work);
        earliest = found;
      }
    }
  }
  return all;
}
