/** Texts of tables and long lists. */
import { formatCount } from './format.ts';

export const rowActions = 'Manage';
export const loadMore = 'Load more';
export const shown = (count: number) => `${formatCount(count)} shown`;
