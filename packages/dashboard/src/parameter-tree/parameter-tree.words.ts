/** Texts of the tree of parameters and of the list of differences. */
import { formatCount } from '../ui/format.ts';

export const noParameters = 'No parameters';
export const expandAll = 'Expand all';
export const showMore = (next: number, hidden: number) =>
  `Show ${formatCount(next)} more (${formatCount(hidden)} not shown)`;
export const emptyName = '(empty name)';
/** @example at(0) // '[0]' */
export const at = (index: number) => `[${index}]`;
/** @example shown(2500, 'rows', 20) // '2,500 rows, 20 shown' */
export const shown = (count: number, kind: 'rows' | 'items', shown: number) =>
  `${formatCount(count)} ${kind}, ${formatCount(shown)} shown`;

export const string = 'string';
export const emptyString = 'empty string';
export const boolean = 'boolean';
export const array = (count: number) => (count === 0 ? 'empty array' : `array (${formatCount(count)})`);
export const object = (count: number) => (count === 0 ? 'empty object' : `object (${formatCount(count)})`);

export const tableLabel = (name: string, shown: string) => `${name}: ${shown}`;
export const index = 'Index';
export const notSet = 'not set';

export const change = { added: 'new', removed: 'removed', changed: 'changed' } as const;
export const before = 'before';
export const after = 'after';
export const moreChanges = (count: number) =>
  count === 1 ? '1 more change is not listed' : `${formatCount(count)} more changes are not listed`;
