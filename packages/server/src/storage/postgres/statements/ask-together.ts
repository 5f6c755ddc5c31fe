/** Sends what is asked for at the same time in one packet, and equal queries of it as one statement. */
import type { QueryResult } from 'pg';
import type { SqlValue } from '../../sql/column.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import { isTellable, type ManyForm, NUMBER } from './many-at-once.ts';
import type { Statement } from './statements.ts';

type Row = Record<string, unknown>;

/** A query that somebody waits for. */
export interface Asking {
  readonly statement: Statement;
  readonly values: readonly SqlValue[];
  /** Whose questions keep their order; of others nobody cares. */
  readonly work?: object;
  /** @param changed how many rows it changed, where it was to change some */
  answer(rows: Row[], changed: number): void;
}

/** A statement that failed takes all that was asked for by it along. */
export interface FailedStatement {
  askings: readonly Asking[];
  error: unknown;
}

/** More than this are more than one statement. */
const MOST_AT_ONCE = 200;

/**
 * Resolves when all are answered, or have failed; throws nothing.
 */
export async function askTogether(
  connection: PostgresConnection,
  askings: readonly Asking[],
): Promise<FailedStatement[]> {
  const failed: FailedStatement[] = [];
  const sent = connection.together(() => {
    const answers: Promise<void>[] = [];
    for (const equal of groupInOrder(askings)) {
      for (const batch of toBatches(equal)) {
        answers.push(
          batch.send(connection).catch((error: unknown) => {
            failed.push({ askings: batch.askings, error });
          }),
        );
      }
      const [{ statement }] = equal;
      if (equal.length > 1 && statement.many === undefined) learnTypes(connection, statement);
    }
    return answers;
  });
  await Promise.all(sent);
  return failed;
}

type NotEmpty<T> = [T, ...T[]];

/** Equal queries at the place of their first, unless what their own work asked before comes only later. */
function groupInOrder(askings: readonly Asking[]): readonly NotEmpty<Asking>[] {
  const groups: NotEmpty<Asking>[] = [];
  const positionsOf = new Map<Statement, number[]>();
  const lastOf = new Map<object, number>();
  for (const asking of askings) {
    const { statement, work } = asking;
    const positions = positionsOf.get(statement) ?? [];
    const earliest = work ? (lastOf.get(work) ?? 0) : 0;
    let position = positions.find((known) => known >= earliest);
    if (position === undefined) {
      position = groups.push([asking]) - 1;
      positions.push(position);
      positionsOf.set(statement, positions);
    } else {
      groups[position]?.push(asking);
    }
    if (work) lastOf.set(work, position);
  }
  return groups;
}

interface Batch {
  askings: readonly Asking[];
  send(connection: PostgresConnection): Promise<void>;
}

function toBatches(askings: NotEmpty<Asking>): Batch[] {
  const [{ statement }] = askings;
  if (askings.length === 1) return askings.map(alone);
  const { many, writes } = statement;
  if (writes) {
    if (!many) return askings.map(alone);
    const [tellable, others] = split(askings, ({ values }) => isTellable(values));
    return [
      ...apart(tellable, many).flatMap((part) =>
        chunks(part).map((batch) => (isSeveral(batch) ? change(batch, many) : alone(batch[0]))),
      ),
      ...others.map(alone),
    ];
  }
  const distinct = [...groupBy(askings, ({ values }) => keyOf(values)).values()];
  if (distinct.length === 1 || !many) return distinct.map(shared);
  const [tellable, others] = split(distinct, ([{ values }]) => isTellable(values));
  return [
    ...chunks(tellable).map((part) => (isSeveral(part) ? selection(part, many) : shared(part[0]))),
    ...others.map(shared),
  ];
}

function isSeveral<T>(list: NotEmpty<T>): boolean {
  return list.length > 1;
}

function split<T>(list: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const first: T[] = [];
  const second: T[] = [];
  for (const one of list) (isFirst(one) ? first : second).push(one);
  return [first, second];
}

function alone(asking: Asking): Batch {
  return shared([asking]);
}

/** The same asked for by several. */
function shared(askings: NotEmpty<Asking>): Batch {
  const [{ statement, values }] = askings;
  return {
    askings,
    async send(connection) {
      const result = await connection.send({
        name: statement.name,
        text: statement.form.sql,
        values: values as SqlValue[],
      });
      for (const asking of askings) asking.answer(result.rows, result.rowCount ?? 0);
    },
  };
}

/** @param askings those that ask for the same stand together */
function selection(askings: readonly NotEmpty<Asking>[], many: ManyForm): Batch {
  return {
    askings: askings.flat(),
    async send(connection) {
      const { rows } = await sendMany(
        connection,
        askings.map(([first]) => first),
        many,
      );
      const found: Row[][] = askings.map(() => []);
      for (const row of rows as Row[]) found[Number(row[NUMBER]) - 1]?.push(row);
      for (const [index, same] of askings.entries()) {
        for (const asking of same) asking.answer(found[index] ?? [], 0);
      }
    },
  };
}

function change(askings: readonly Asking[], many: ManyForm): Batch {
  return {
    askings,
    async send(connection) {
      const { rows } = await sendMany(connection, askings, many);
      const changed: number[] = askings.map(() => (many.kind === 'inserts' ? 1 : 0));
      for (const row of rows as Row[]) {
        const index = Number(row[NUMBER]) - 1;
        changed[index] = (changed[index] ?? 0) + 1;
      }
      for (const [index, asking] of askings.entries()) asking.answer([], changed[index] ?? 0);
    },
  };
}

function sendMany(
  connection: PostgresConnection,
  askings: readonly Asking[],
  many: ManyForm,
): Promise<QueryResult> {
  const [first] = askings;
  return connection.send({
    name: first?.statement.nameOfMany ?? '',
    text: many.sql,
    values: many.bind(askings.map(({ values }) => values)),
  });
}

/** Statements in a row, in none of which two could meet the same row, or differ in what they have to share. */
function apart(askings: readonly Asking[], { apartBy, shared: inCommon }: ManyForm): NotEmpty<Asking>[] {
  const statements: { askings: NotEmpty<Asking>; common: string; rows: Set<string> }[] = [];
  for (const asking of askings) {
    const common = keyOf(inCommon.map((number) => asking.values[number - 1] ?? null));
    const row = apartBy && keyOf(apartBy.map((number) => asking.values[number - 1] ?? null));
    const fitting = statements.find(
      (statement) => statement.common === common && (row === null || !statement.rows.has(row)),
    );
    if (fitting) {
      fitting.askings.push(asking);
      if (row !== null) fitting.rows.add(row);
    } else {
      statements.push({ askings: [asking], common, rows: new Set(row === null ? [] : [row]) });
    }
  }
  // Two groups that change the same rows shall do so in the same order.
  if (apartBy) for (const statement of statements) statement.askings.sort(byValues(apartBy));
  return statements.map((statement) => statement.askings);
}

function byValues(positions: readonly number[]): (a: Asking, b: Asking) => number {
  return (a, b) => {
    for (const position of positions) {
      const [left, right] = [String(a.values[position - 1]), String(b.values[position - 1])];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
}

function keyOf(values: readonly SqlValue[]): string {
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(values);
}

function groupBy<T>(list: Iterable<T>, keyFor: (one: T) => string): Map<string, NotEmpty<T>> {
  const groups = new Map<string, NotEmpty<T>>();
  for (const one of list) {
    const key = keyFor(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

function chunks<T>(list: readonly T[]): NotEmpty<T>[] {
  const parts: NotEmpty<T>[] = [];
  for (let at = 0; at < list.length; at += MOST_AT_ONCE) {
    const [first, ...rest] = list.slice(at, at + MOST_AT_ONCE);
    if (first !== undefined) parts.push([first, ...rest]);
  }
  return parts;
}

/** Asked behind the first run of the statement, which has prepared it; whoever asks for many next has the answer. */
function learnTypes(connection: PostgresConnection, statement: Statement): void {
  connection
    .send({ name: 'types', text: TYPES_OF, values: [statement.name] })
    .then(({ rows }) => {
      const [found] = rows as { types: string }[];
      if (found) statement.learn(found.types === '' ? [] : found.types.split(','));
    })
    // What failed is told by the statements before it.
    .catch(() => {});
}

const TYPES_OF = `
  select array_to_string(parameter_types::text[], ',') as types from pg_prepared_statements where name = $1`;
