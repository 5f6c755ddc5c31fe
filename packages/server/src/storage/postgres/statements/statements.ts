/** The queries in PostgreSQL's words, each compiled once and prepared once on every connection, under its own name. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { CompiledForm, PreparedQuery } from '../../sql/prepared-query.ts';
import type { Database } from '../../sql/tables.ts';
import { askMany, type ManyForm } from './many-at-once.ts';

/** Only writes SQL: it has no driver. */
const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export class Statement {
  /** Under which connections prepare it. */
  readonly name: string;
  readonly form: CompiledForm;
  /** Whether it may leave something to undo. */
  readonly writes: boolean;
  /** Whether it takes something for its work alone: rows, to change them later, or a lock that a whole transaction holds. */
  readonly locks: boolean;
  /** The one of which connections prepare the form for many at once. */
  readonly nameOfMany: string;
  #many: ManyForm | null | undefined;

  constructor(slot: number, form: CompiledForm) {
    this.name = `q${slot}`;
    this.nameOfMany = `m${slot}`;
    this.form = form;
    this.writes = !form.sql.startsWith('select ');
    this.locks = !this.writes && / for (no key )?update|pg_advisory_xact_lock\(/.test(form.sql);
  }

  /** For many at once; null where there is no such form, undefined while the server was not asked for the types. */
  get many(): ManyForm | null | undefined {
    return this.#many;
  }

  /** @param types the server's names of the parameters' types */
  learn(types: readonly string[]): void {
    this.#many = null;
    try {
      this.#many = askMany(this.form, types);
    } catch (error) {
      // It is run one by one then, and as well.
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}

const statements: (Statement | undefined)[] = [];

export function statementOf<P extends object, R>(query: PreparedQuery<P, R>): Statement {
  const known = statements[query.slot];
  if (known) return known;
  const statement = new Statement(query.slot, query.compile(compiler));
  statements[query.slot] = statement;
  return statement;
}
