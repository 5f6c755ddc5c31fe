import type { Column } from '../printing/print.ts';

/** A policy's result for an intent. */
interface Said {
  effect: string;
  rule: string | null;
}

/** A group of intents with the same change. */
export interface Difference {
  from: Said;
  to: Said;
  direction: string;
  terms: readonly string[];
  count: number;
}

/** @example said({ effect: 'allow', rule: 'small refunds' }) === 'allow by "small refunds"' */
export function said({ effect, rule }: Said): string {
  return rule === null ? `${effect} by default` : `${effect} by "${rule}"`;
}

export const columnsOfDifference: readonly Column<Difference>[] = [
  { title: 'COUNT', text: ({ count }) => count.toLocaleString('en') },
  { title: 'FROM', text: ({ from }) => said(from), shrinks: true },
  { title: 'TO', text: ({ to }) => said(to), shrinks: true },
  { title: 'CHANGE', text: ({ direction }) => direction },
  { title: 'DIFFERS IN', text: ({ terms }) => (terms.length === 0 ? 'effect' : terms.join(', ')) },
];
