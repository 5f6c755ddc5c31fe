/**
 * Makes one statement of a query that is asked for many times at once, each time with its own parameters: they come as
 * one list for each parameter, and `unnest` makes a row of each asking. What belongs to which asking is told by its
 * number.
 *
 * A query that has no such form is run once for each asking.
 */
import type { SqlValue } from '../../sql/column.ts';
import type { CompiledForm } from '../../sql/prepared-query.ts';
import { closingBracket, findWord, replaceParameters, splitList } from './sql-text.ts';

/** One column of every answer: the number of the asking it belongs to, from 1. */
export const NUMBER = '~n';
const ASKED = '"~"';

type ManyKind = 'rows' | 'changes' | 'inserts';

export interface ManyForm {
  sql: string;
  /**
   * `rows`: the answers are rows. `changes`: the answers are the numbers of askings, one for each row that was changed.
   * `inserts`: each asking made one row, or there was an error.
   */
  kind: ManyKind;
  /** Two askings whose values differ in one of these cannot meet the same row; those that agree in all go apart. */
  apartBy: readonly number[] | null;
  /** Parameters of which there is one value for all askings of the statement; those that differ in them go apart. */
  shared: readonly number[];
  bind(askings: readonly (readonly SqlValue[])[]): SqlValue[];
}

/** Stand between the values of a parameter and for null; control characters that hardly any text holds. */
const BETWEEN = '\u001f';
const NULL = '\u001e';

/** Whether it can be told from its neighbours in one statement for many. */
export function isTellable(values: readonly SqlValue[]): boolean {
  for (const value of values) {
    if (typeof value === 'string' && (value.includes(BETWEEN) || value === NULL)) return false;
  }
  return true;
}

/** @param types the server's names of the parameters' types */
export function askMany({ sql }: CompiledForm, types: readonly string[]): ManyForm | null {
  // Rows that are locked are locked for one.
  if (types.length === 0 || sql.includes(' for update') || sql.includes(' for no key update')) return null;
  if (sql.startsWith('select ')) return selectMany(sql, types);
  if (sql.startsWith('insert into ')) return insertMany(sql, types);
  if (sql.startsWith('update ')) return changeMany(sql, types, 'from');
  if (sql.startsWith('delete from ')) return changeMany(sql, types, 'using');
  return null;
}

function selectMany(sql: string, types: readonly string[]): ManyForm | null {
  const asked = new Askings(types);
  const inner = replaceParameters(sql, (number) => asked.own(number));
  return asked.form('rows', null, () => {
    const columns = `${ASKED}."${NUMBER}", "~rows".*`;
    return `select ${columns} from ${asked.source()} cross join lateral (${inner}) as "~rows"`;
  });
}

function insertMany(sql: string, types: readonly string[]): ManyForm | null {
  const values = findWord(sql, ' values (');
  if (values < 0) return null;
  const open = values + ' values '.length;
  const close = closingBracket(sql, open);
  const rest = sql.slice(close + 1);
  if (rest !== '' && !rest.startsWith(' on conflict (')) return null;
  const head = sql.slice(0, values);
  const expressions = sql.slice(open + 1, close);
  const asked = new Askings(types);
  const row = replaceParameters(expressions, (number) => asked.own(number));
  const tail = replaceParameters(rest, (number) => asked.shared(number));
  if (rest === '') {
    return asked.form('inserts', null, () => `${head} select ${row} from ${asked.source()} order by "~n"`);
  }
  const target = conflictTarget(head, expressions, rest);
  if (!target || findWord(rest, ' returning ') >= 0) return null;
  // What was not inserted, and not changed either, is not among the rows that come back: those are told by their key.
  const keys = target
    .map(({ column, parameter }) => `"~t".${column} = ${asked.own(parameter)}`)
    .join(' and ');
  return asked.form(
    'changes',
    target.map(({ parameter }) => parameter),
    () => {
      const columns = target.map(({ column }) => column).join(', ');
      const insert = `${head} select ${row} from ${asked.source()} order by "~n"${tail} returning ${columns}`;
      return `with "~t" as (${insert}) select ${ASKED}."${NUMBER}" from ${asked.source()} join "~t" on ${keys}`;
    },
  );
}

/** The columns that must be unique, each with the parameter that stands for it. */
function conflictTarget(
  head: string,
  expressions: string,
  rest: string,
): { column: string; parameter: number }[] | undefined {
  const into = head.indexOf(' (');
  if (into < 0) return undefined;
  const columns = splitList(head.slice(into + 2, -1));
  const values = splitList(expressions);
  const open = ' on conflict '.length;
  const names = splitList(rest.slice(open + 1, closingBracket(rest, open)));
  const target: { column: string; parameter: number }[] = [];
  for (const column of names) {
    const parameter = /^\$(\d+)$/.exec(values[columns.indexOf(column)] ?? '')?.[1];
    if (parameter === undefined) return undefined;
    target.push({ column, parameter: Number(parameter) });
  }
  return target;
}

function changeMany(sql: string, types: readonly string[], join: 'from' | 'using'): ManyForm | null {
  const where = findWord(sql, ' where ');
  if (where < 0 || findWord(sql, ' returning ') >= 0) return null;
  const condition = sql.slice(where);
  if (findWord(condition, ' or ') >= 0 || findWord(sql.slice(0, where), ` ${join} `) >= 0) return null;
  const apartBy = equalities(condition);
  if (apartBy.length === 0) return null;
  const asked = new Askings(types);
  const head = replaceParameters(sql.slice(0, where), (number) => asked.own(number));
  const guard = replaceParameters(condition, (number) => asked.own(number));
  return asked.form(
    'changes',
    apartBy,
    () => `${head} ${join} ${asked.source()}${guard} returning ${ASKED}."${NUMBER}"`,
  );
}

/** The parameters that a column must equal, whatever else the condition asks. */
function equalities(condition: string): number[] {
  const found: number[] = [];
  let start = ' where '.length;
  for (;;) {
    const and = findWord(condition, ' and ', start);
    const part = and < 0 ? condition.slice(start) : condition.slice(start, and);
    const parameter = /^(?:"[^"]+"\.)?"[^"]+" = \$(\d+)$/.exec(part)?.[1];
    if (parameter !== undefined) found.push(Number(parameter));
    if (and < 0) return found;
    start = and + ' and '.length;
  }
}

/** Gathers the parameters: an array for each that every asking brings itself, a plain value for each that they share. */
class Askings {
  readonly #types: readonly string[];
  readonly #own = new Set<number>();
  readonly #shared = new Set<number>();

  constructor(types: readonly string[]) {
    this.#types = types;
  }

  own(number: number): string {
    this.#own.add(number);
    return `${ASKED}."~${number}"`;
  }

  shared(number: number): string {
    this.#shared.add(number);
    // Its place follows all arrays, of which every original parameter has at most one.
    return `$${this.#types.length + number}::${this.#typeOf(number)}`;
  }

  source(): string {
    const own = [...this.#own];
    // Made and taken apart by both sides with less work than arrays, whose values have to be quoted.
    const arrays = own
      .map(
        (number) => `string_to_array($${number}::text, '${BETWEEN}', '${NULL}')::${this.#typeOf(number)}[]`,
      )
      .join(', ');
    const names = own.map((number) => `"~${number}"`).join(', ');
    return `unnest(${arrays}) with ordinality as ${ASKED}(${names}, "${NUMBER}")`;
  }

  form(kind: ManyKind, apartBy: readonly number[] | null, write: () => string): ManyForm | null {
    if (this.#own.size === 0) return null;
    // Numbered anew, for there must be no gap.
    const own = [...this.#own];
    const shared = [...this.#shared];
    const positions = new Map<number, number>();
    for (const number of own) positions.set(number, positions.size + 1);
    for (const number of shared) positions.set(this.#types.length + number, positions.size + 1);
    const sql = replaceParameters(write(), (number) => `$${positions.get(number)}`);
    return {
      sql,
      kind,
      apartBy,
      shared,
      bind: (askings) => [
        ...own.map((number) => toList(askings, number - 1)),
        ...shared.map((number) => askings[0]?.[number - 1] ?? null),
      ],
    };
  }

  #typeOf(number: number): string {
    const type = this.#types[number - 1];
    if (type === undefined) throw new Error(`the server knows no parameter ${number}`);
    return type;
  }
}

/** One parameter of every asking. There are at least two: of one empty text no list could be told from an empty one. */
function toList(askings: readonly (readonly SqlValue[])[], position: number): string {
  let text = '';
  for (let index = 0; index < askings.length; index++) {
    if (index > 0) text += BETWEEN;
    text += askings[index]?.[position] ?? NULL;
  }
  return text;
}
