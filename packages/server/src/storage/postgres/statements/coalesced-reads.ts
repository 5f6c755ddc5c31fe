import type { QueryResult } from 'pg';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { endsConnection, toGateError } from '../postgres-error.ts';
import { NUMBER, type Statement, statementOf } from './statements.ts';

type Row = Record<string, unknown>;

/** A query, and all callers that wait for its result. */
interface Question {
  readonly statement: Statement;
  readonly params: object;
  readonly waiting: { answer(rows: Row[]): void; fail(error: unknown): void }[];
  retried: boolean;
}

/** Reads committed data. Equal queries from one turn of the event loop are sent as one statement. */
export class CoalescedReads implements QueryRunner {
  readonly #pool: Pool;
  /** The waiting queries, by statement and parameters. */
  #asked = new Map<string, Question>();
  #isWaiting = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return new Promise((resolve, reject) => {
      const statement = statementOf(query);
      const key = statement.keyFor(params);
      const question = this.#asked.get(key) ?? { statement, params, waiting: [], retried: false };
      question.waiting.push({
        answer: (rows) => resolve(rows as R[]),
        fail: (error) => reject(toGateError(error)),
      });
      this.#asked.set(key, question);
      this.#flushSoon();
    });
  }

  async first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0];
  }

  change(): Promise<number> {
    return Promise.reject(new Error('this connection only reads'));
  }

  /**
   * Sends at the end of the turn, when all its requests have queried. If no connection is free then, sends as soon as
   * one is.
   */
  #flushSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const connection = await this.#pool.take().catch((error: unknown) => {
      for (const { waiting } of this.#takeAsked()) for (const { fail } of waiting) fail(error);
    });
    if (connection) await this.#ask(connection, this.#takeAsked());
  }

  #takeAsked(): readonly Question[] {
    const questions = [...this.#asked.values()];
    this.#asked = new Map();
    this.#isWaiting = false;
    return questions;
  }

  async #ask(connection: PostgresConnection, questions: readonly Question[]): Promise<void> {
    const answered = connection.together(() =>
      [...Map.groupBy(questions, ({ statement }) => statement)].flatMap(([statement, equal]) =>
        this.#send(connection, statement, equal),
      ),
    );
    await Promise.all(answered).finally(() => this.#pool.give(connection));
  }

  #send(connection: PostgresConnection, statement: Statement, equal: readonly Question[]): Promise<void>[] {
    if (equal.length > 1 && statement.hasMany) {
      return [
        this.#answer(equal, async () => connection.send(statement.many(equal.map(({ params }) => params)))),
      ];
    }
    return equal.map((question) =>
      this.#answer([question], async () => connection.send(statement.one(question.params))),
    );
  }

  /**
   * Never throws. A query that failed in a combined statement is sent again alone. A query lost with its connection is
   * sent again once.
   */
  async #answer(questions: readonly Question[], send: () => Promise<QueryResult>): Promise<void> {
    try {
      const { rows } = await send();
      const found = questions.length === 1 ? [rows as Row[]] : parted(rows as Row[], questions.length);
      for (const [index, { waiting }] of questions.entries()) {
        for (const { answer } of waiting) answer(found[index] ?? []);
      }
    } catch (error) {
      questions[0]?.statement.refused(error);
      for (const question of questions) {
        if (question.retried || (questions.length === 1 && !endsConnection(error))) {
          for (const { fail } of question.waiting) fail(error);
        } else {
          question.retried = true;
          void this.#again(question);
        }
      }
    }
  }

  async #again(question: Question): Promise<void> {
    try {
      await this.#ask(await this.#pool.take(), [question]);
    } catch (error) {
      for (const { fail } of question.waiting) fail(error);
    }
  }
}

/** Splits the rows by query, and removes the number column, as if each query had run alone. */
function parted(rows: readonly Row[], questions: number): Row[][] {
  const found: Row[][] = Array.from({ length: questions }, () => []);
  for (const { [NUMBER]: number, ...row } of rows) found[Number(number) - 1]?.push(row);
  return found;
}
