import type { BrowseFilters, IntentBrief } from './inbox.ts';

/** The result of testing the first columns of a row. `if_in_params`: only the parameters can still match the search. */
type Match = 'yes' | 'no' | 'if_in_params';

export interface Matcher {
  match(brief: IntentBrief): Match;
  /** Whether these parameters, as stored JSON, contain the search text. */
  isInParams(paramsJson: string): boolean;
}

/** One test that combines all requested filters. */
export function toMatcher(filters: Omit<BrowseFilters, 'projectId'> & { decider?: string }): Matcher {
  const { riskTier } = filters;
  const tests: ((brief: IntentBrief) => boolean)[] = [];
  if (riskTier !== undefined) tests.push((brief) => brief.riskTier === riskTier);
  if (filters.action !== undefined) tests.push(actionTest(filters.action));
  if (filters.source !== undefined) tests.push(sourceTest(fold(filters.source)));
  if (filters.decider !== undefined) tests.push(deciderTest(fold(filters.decider)));
  const { q } = filters;
  const isInFront = q === undefined ? () => true : wordTest(fold(q));
  // The search text as JSON writes it: with a backslash before each quotation mark.
  const escaped = q === undefined ? '' : fold(JSON.stringify(q).slice(1, -1));
  return {
    match(brief) {
      if (!tests.every((test) => test(brief))) return 'no';
      return isInFront(brief) ? 'yes' : 'if_in_params';
    },
    isInParams: (paramsJson) => fold(paramsJson).includes(escaped),
  };
}

function actionTest(action: string): (brief: IntentBrief) => boolean {
  if (!action.endsWith('*')) return (brief) => brief.action === action;
  const beginning = action.slice(0, -1);
  return (brief) => brief.action.startsWith(beginning);
}

function sourceTest(source: string): (brief: IntentBrief) => boolean {
  return (brief) => fold(brief.source ?? '') === source || fold(brief.requesterDisplay) === source;
}

function wordTest(word: string): (brief: IntentBrief) => boolean {
  return ({ action, source, requesterDisplay, id }) =>
    [action, source ?? '', requesterDisplay, id].some((text) => fold(text).includes(word));
}

function deciderTest(decider: string): (brief: IntentBrief) => boolean {
  return ({ resolvedBy, approvals }) =>
    fold(resolvedBy ?? '').includes(decider) || approvals.some(({ by }) => fold(by).includes(decider));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
