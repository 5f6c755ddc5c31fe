import { GateError } from '../../../gate/kernel/errors.ts';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';

const NUL = '\u0000';

/**
 * PostgreSQL's texts hold every character except U+0000. So a read for a text with U+0000 finds nothing, and a change
 * with one is refused, both without asking the database. An error of the database would end the transaction, also for
 * other works in it.
 */
export class HoldableText implements QueryRunner {
  readonly #run: QueryRunner;

  constructor(run: QueryRunner) {
    this.#run = run;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return isHoldable(params) ? this.#run.all(query, params) : Promise.resolve([]);
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return isHoldable(params) ? this.#run.first(query, params) : Promise.resolve(undefined);
  }

  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    return isHoldable(params) ? this.#run.change(query, params) : Promise.reject(notHoldable());
  }
}

function isHoldable(params: object): boolean {
  for (const value of Object.values(params)) {
    if (typeof value === 'string' && value.includes(NUL)) return false;
  }
  return true;
}

function notHoldable(): GateError<'invalid_fields'> {
  return new GateError(
    'invalid_fields',
    'A text of the request holds the character U+0000, which the database of this gate cannot hold. Leave it out.',
    { fields: [] },
  );
}
