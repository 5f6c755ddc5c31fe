/** What is wrong with the document of a mandate beyond its shape, with the place of each problem. */
import type { JsonValue } from '../json.ts';
import { isAction } from '../properties.ts';
import { toMillionths } from './amount.ts';
import { isPlainPath } from './covers.ts';
import {
  type AmountLimit,
  type Constraint,
  type ConstraintKind,
  isReservedAction,
  MANDATE_LIMITS,
  type MandateDocument,
  type MandateEntry,
  type MandateStep,
  type ScalarKind,
} from './mandate-document.ts';

export interface MandateProblem {
  /** JSON Pointer into the document. */
  path: string;
  message: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const KINDS = ['equals', 'one_of', 'at_most', 'at_least', 'under', 'each', 'anything'] as const;
const COUNTABLE = 'Must be at least 0, with at most 12 digits before the point and 6 after it.';

/**
 * Every problem of a document whose shape `CreateMandate` has checked.
 *
 * @param now The gate's time in milliseconds.
 * @example findMandateProblems({ …, ends_at: '2020-01-01T00:00:00.000Z' }, Date.now())
 * // [{ path: '/ends_at', message: 'The end is in the past.' }]
 */
export function findMandateProblems(document: MandateDocument, now: number): MandateProblem[] {
  const problems = new Problems();
  checkTimes(document, now, problems);
  if ('entries' in document === 'steps' in document) {
    problems.add('', 'Give either `entries` or `steps`.');
  } else if ('entries' in document) {
    if ('ordered' in document) problems.add('/ordered', 'Only a plan with `steps` has an order.');
    if ('on_failure' in document) problems.add('/on_failure', 'Only a plan with `steps` can fail.');
    for (const [at, entry] of document.entries.entries()) checkEntry(entry, `/entries/${at}`, problems);
  } else {
    for (const [at, step] of document.steps.entries()) checkStep(step, `/steps/${at}`, problems);
  }
  return problems.found;
}

class Problems {
  readonly found: MandateProblem[] = [];

  add(path: string, message: string): void {
    this.found.push({ path, message });
  }
}

function checkTimes(document: MandateDocument, now: number, problems: Problems): void {
  const begins = Math.max(now, document.starts_at === undefined ? now : Date.parse(document.starts_at));
  const ends = Date.parse(document.ends_at);
  if (ends <= now) problems.add('/ends_at', 'The end is in the past.');
  else if (ends <= begins) problems.add('/ends_at', 'The end must be after the start.');
  else if (ends - begins > MANDATE_LIMITS.days * DAY_MS)
    problems.add('/ends_at', `A mandate lasts at most ${MANDATE_LIMITS.days} days.`);
}

function checkAction(action: string, path: string, problems: Problems): void {
  if (!isAction(action)) problems.add(path, 'Must be the exact name of an action, without a pattern.');
  else if (isReservedAction(action))
    problems.add(path, 'Actions that begin with `permitry.` belong to the gate.');
}

function checkStep(step: MandateStep, path: string, problems: Problems): void {
  checkAction(step.action, `${path}/action`, problems);
  if ('params' in step === 'constraints' in step)
    problems.add(path, 'Give either `params` or `constraints`.');
  else if ('constraints' in step) checkConstraints(step.constraints, `${path}/constraints`, problems);
}

function checkEntry(entry: MandateEntry, path: string, problems: Problems): void {
  checkAction(entry.action, `${path}/action`, problems);
  checkConstraints(entry.constraints, `${path}/constraints`, problems);
  const { uses, amounts = [] } = entry.limits;
  if (uses.per_day !== undefined && uses.per_day > uses.total)
    problems.add(`${path}/limits/uses/per_day`, 'Must be at most the total.');
  const seen = new Set<string>();
  for (const [at, amount] of amounts.entries()) {
    const place = `${path}/limits/amounts/${at}`;
    if (seen.has(amount.path)) problems.add(`${place}/path`, 'This path is already counted.');
    seen.add(amount.path);
    checkAmount(amount, entry.constraints, place, problems);
  }
}

function checkAmount(
  amount: AmountLimit,
  constraints: readonly Constraint[],
  path: string,
  problems: Problems,
): void {
  const counted = constraints.find((constraint) => constraint.path === amount.path);
  if (!counted) problems.add(`${path}/path`, 'No constraint names this path.');
  else if (counted.optional) problems.add(`${path}/path`, 'A counted amount cannot be optional.');
  else if (!canBeCounted(counted))
    problems.add(`${path}/path`, `Its constraint allows values that are not counted. ${COUNTABLE}`);

  if (amount.per_day === undefined && amount.total === undefined)
    problems.add(path, 'Give `per_day`, `total` or both.');
  for (const name of ['per_day', 'total'] as const) {
    const limit = amount[name];
    if (limit !== undefined && toMillionths(limit) === undefined) problems.add(`${path}/${name}`, COUNTABLE);
  }

  if (amount.unit === null) return;
  const unit = constraints.find((constraint) => constraint.path === amount.unit);
  if (!unit || !('equals' in unit) || unit.optional || typeof unit.equals !== 'string')
    problems.add(`${path}/unit`, 'A constraint must fix the unit to one text with `equals`.');
}

/** `anything` also allows values that cannot be counted. A request with such a value is not covered. */
function canBeCounted(kind: ConstraintKind): boolean {
  const isCountable = (value: JsonValue) => typeof value === 'number' && toMillionths(value) !== undefined;
  if ('anything' in kind) return true;
  if ('equals' in kind) return isCountable(kind.equals);
  if ('one_of' in kind) return kind.one_of.every(isCountable);
  if ('under' in kind || 'each' in kind) return false;
  const { at_least: least = 0, at_most: most = 0 } = kind as { at_least?: number; at_most?: number };
  return isCountable(least) && isCountable(most);
}

function checkConstraints(constraints: readonly Constraint[], path: string, problems: Problems): void {
  const named = new Set<string>();
  for (const [at, constraint] of constraints.entries()) {
    const place = `${path}/${at}`;
    if (!isPointer(constraint.path)) {
      problems.add(
        `${place}/path`,
        constraint.path === ''
          ? 'The parameters as a whole cannot be named; name each of them.'
          : 'Must be a JSON Pointer (RFC 6901), such as `/amount`.',
      );
    } else if (named.has(constraint.path)) problems.add(`${place}/path`, 'This path is already named.');
    named.add(constraint.path);
    checkKind(constraint, place, problems);
  }
  for (const [at, { path: inner }] of constraints.entries()) {
    const outer = prefixesOf(inner).find((prefix) => named.has(prefix));
    if (outer !== undefined) problems.add(`${path}/${at}/path`, `It is inside ${outer}, which is named too.`);
  }
}

function isPointer(path: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)+$/u.test(path) && path.isWellFormed();
}

/** The pointers of the values around a value: `/a` and `/a/b` for `/a/b/c`. */
function prefixesOf(path: string): string[] {
  const steps = path.split('/').slice(1, -1);
  return steps.map((_, at) => `/${steps.slice(0, at + 1).join('/')}`);
}

function checkKind(kind: ConstraintKind | ScalarKind, path: string, problems: Problems): void {
  const given = KINDS.filter((name) => name in kind);
  const isRange = given.length === 2 && 'at_most' in kind && 'at_least' in kind;
  if (given.length !== 1 && !isRange) {
    problems.add(
      path,
      `Give exactly one of ${KINDS.map((name) => `\`${name}\``).join(', ')}, or both ends of a range.`,
    );
    return;
  }
  if ('at_most_items' in kind !== 'each' in kind) {
    problems.add(`${path}/at_most_items`, '`each` and `at_most_items` go together.');
    return;
  }
  if ('one_of' in kind) {
    const texts = kind.one_of.map((value) => JSON.stringify(value));
    if (new Set(texts).size < texts.length) problems.add(`${path}/one_of`, 'A value is listed twice.');
  } else if ('under' in kind) {
    const base = kind.under;
    if (base !== '/' && !isPlainPath(base.startsWith('/') ? base.slice(1) : base)) {
      problems.add(
        `${path}/under`,
        'Must be a path of plain segments (letters, digits, `.`, `_`, `~`, `-`), without `.`, `..` or a slash at the end.',
      );
    }
  } else if ('each' in kind) {
    checkKind(kind.each, `${path}/each`, problems);
  } else if (isRange && (kind.at_least ?? 0) > (kind.at_most ?? 0)) {
    problems.add(`${path}/at_least`, 'Must be at most `at_most`.');
  } else if ('at_most' in kind && !isRange && kind.at_most < 0) {
    problems.add(`${path}/at_most`, 'Without `at_least`, the range begins at 0, so this must be at least 0.');
  }
}
