/** The sentence that people approve. The gate writes it from the document alone; the requester writes no part of it. */
import { canonicalJson } from '../canonical-json.ts';
import { pointerSteps } from '../json-pointer.ts';
import type {
  AmountLimit,
  Constraint,
  ConstraintKind,
  MandateDocument,
  MandateEntry,
  PlanMandate,
  ScalarKind,
} from './mandate-document.ts';
import { unitOf, type WorstCase } from './worst-case.ts';

/**
 * What the agent may do, in one line: a sentence for each entry, and one for the end.
 *
 * @param agentName The name of the agent.
 * @example
 * sentenceOf(document, 'billing-bot')
 * // 'billing-bot may run payments.refund up to 200 times with amount at most 50. Ends 27 Nov 2026, 17:00 UTC.'
 */
export function sentenceOf(document: MandateDocument, agentName: string): string {
  const agent = sayName(agentName);
  const what =
    'entries' in document
      ? document.entries.map((entry) => entrySentence(entry, agent))
      : [planSentence(document, agent)];
  const begins = document.starts_at === undefined ? [] : [`Begins ${sayInstant(document.starts_at)}.`];
  return [...what, ...begins, `Ends ${sayInstant(document.ends_at)}.`].join(' ');
}

/**
 * The worst case in one line, for the confirmation.
 *
 * @example sayWorstCase({ uses: 200, amounts: [{ unit: 'EUR', at_most: '2000' }] })
 * // 'Up to 200 times and 2000 EUR in all.'
 */
export function sayWorstCase({ uses, amounts }: WorstCase): string {
  const sums = amounts.map(({ unit, at_most: most }) => {
    const of = unit ?? 'whatever the currency';
    return most === null
      ? `no limit on the amount in all (${of})`
      : unit === null
        ? `${most} (${of})`
        : `${most} ${unit}`;
  });
  return `Up to ${[sayTimes(uses), ...sums].join(' and ')} in all.`;
}

function entrySentence({ action, constraints, limits }: MandateEntry, agent: string): string {
  const { total, per_day: perDay } = limits.uses;
  const times = `${total === 1 ? 'once' : `up to ${sayTimes(total)}`}${perDay === undefined ? '' : ` (${perDay} a day)`}`;
  const amounts = (limits.amounts ?? []).flatMap((limit) => sayAmount(limit, constraints));
  const most = amounts.length === 0 ? '' : `; at most ${amounts.join(' and ')}`;
  return `${agent} may run ${action} ${times} ${sayConstraints(constraints)}${most}.`;
}

function planSentence(
  { steps, ordered, on_failure: onFailure = 'stop' }: PlanMandate,
  agent: string,
): string {
  const actions = [...new Set(steps.map(({ action }) => action))];
  const order = ordered ? 'in this order' : 'in any order';
  const failure = onFailure === 'stop' ? 'stopping when one fails' : 'going on when one fails';
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  return `${agent} may run a plan of ${count} (${actions.join(', ')}), each once, ${order}, ${failure}.`;
}

function sayConstraints(constraints: readonly Constraint[]): string {
  if (constraints.length === 0) return 'without parameters';
  return `with ${constraints.map(sayConstraint).join(', ')}`;
}

function sayConstraint(constraint: Constraint): string {
  const name = sayPath(constraint.path);
  const says = 'anything' in constraint ? `any ${name}` : `${name} ${sayKind(constraint)}`;
  return constraint.optional ? `${says} (or none)` : says;
}

function sayKind(kind: ConstraintKind | ScalarKind): string {
  if ('anything' in kind) return 'anything';
  if ('equals' in kind) return canonicalJson(kind.equals);
  if ('one_of' in kind) return sayOr(kind.one_of.map((value) => canonicalJson(value)));
  if ('under' in kind) return `a path under ${canonicalJson(kind.under)}`;
  if ('each' in kind) return `a list of at most ${kind.at_most_items}, each ${sayKind(kind.each)}`;
  const { at_least: least, at_most: most } = kind as { at_least?: number; at_most?: number };
  if (most === undefined) return `at least ${least}`;
  return least === undefined || least === 0 ? `at most ${most}` : `from ${least} to ${most}`;
}

function sayAmount(limit: AmountLimit, constraints: readonly Constraint[]): string[] {
  const unit = limit.unit === null ? ' (whatever the currency)' : ` ${unitOf(limit, constraints)}`;
  // A unit shows which amount the limit is for. A limit without a unit names the amount's path instead.
  const of = limit.unit === null ? ` of ${sayPath(limit.path)}` : '';
  return [
    ...(limit.total === undefined ? [] : [`${limit.total}${unit}${of} in all`]),
    ...(limit.per_day === undefined ? [] : [`${limit.per_day}${unit}${of} a day`]),
  ];
}

function sayPath(path: string): string {
  return pointerSteps(path).map(sayName).join(' / ');
}

/** In quotes unless it is one plain word, so that no name can pass for a part of the sentence. */
function sayName(name: string): string {
  return /^[A-Za-z0-9._-]+$/.test(name) ? name : canonicalJson(name);
}

function sayTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function sayOr(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `27 Nov 2026, 17:00 UTC`; with seconds only when there are any. Part of what is approved, so it has no locale. */
function sayInstant(at: string): string {
  const [, year, month, day, time, seconds] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+):(\d+)/.exec(at) ?? [];
  const exact = seconds === '00' ? time : `${time}:${seconds}`;
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${year}, ${exact} UTC`;
}
