import type { BrowseFilters, IntentBrief } from './inbox.ts';

/** One test out of all filters that are asked for. */
export function toMatcher(
  filters: Omit<BrowseFilters, 'projectId'> & { decider?: string },
): (brief: IntentBrief) => boolean {
  const { riskTier } = filters;
  const tests: ((brief: IntentBrief) => boolean)[] = [];
  if (riskTier !== undefined) tests.push((brief) => brief.riskTier === riskTier);
  if (filters.action !== undefined) tests.push(actionTest(filters.action));
  if (filters.source !== undefined) tests.push(sourceTest(fold(filters.source)));
  if (filters.q !== undefined) tests.push(wordTest(fold(filters.q)));
  if (filters.decider !== undefined) tests.push(deciderTest(fold(filters.decider)));
  return (brief) => tests.every((test) => test(brief));
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
