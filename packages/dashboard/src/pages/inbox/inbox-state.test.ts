import { describe, expect, test } from 'vitest';
import type { InboxItem, InboxPage } from './inbox-item.ts';
import {
  fromFirstPage,
  withArrivedShown,
  withChanged,
  withHead,
  withNextPage,
  without,
  withRefusals,
} from './inbox-state.ts';

const item = (id: string, changes: Partial<InboxItem> = {}) =>
  ({ id, status: 'pending', can_decide: true, ...changes }) as InboxItem;
const page = (ids: string[], next: string | null = null, total = ids.length): InboxPage => ({
  data: ids.map((id) => item(id)),
  next_cursor: next,
  pending_total: total,
  pending_more: false,
});
const all = () => true;

describe('reading the top again', () => {
  test('puts new requests behind the bar and moves no row', () => {
    const state = withHead(fromFirstPage(page(['5', '4'])), page(['7', '6', '5', '4']));
    expect(state).toMatchObject({ ids: ['5', '4'], arriving: ['7', '6'], manyArrived: false, total: 4 });
    const later = withHead(state, page(['8', '7', '6', '5', '4']));
    expect(later.arriving).toEqual(['8', '7', '6']);
    expect(withArrivedShown(later)).toMatchObject({ ids: ['8', '7', '6', '5', '4'], arriving: [] });
  });

  test('shows requests at once in an empty list', () => {
    expect(withHead(fromFirstPage(page([])), page(['2', '1']))).toMatchObject({
      ids: ['2', '1'],
      arriving: [],
    });
  });

  test('knows when it does not reach the shown rows', () => {
    expect(withHead(fromFirstPage(page(['1'])), page(['9', '8'], '8', 20)).manyArrived).toBe(true);
    expect(withHead(fromFirstPage(page(['1'])), page(['9', '8'], null)).manyArrived).toBe(false);
  });

  test('does not count older requests as new', () => {
    expect(withHead(fromFirstPage(page(['5', '3'])), page(['5', '4', '3'])).arriving).toEqual([]);
  });
});

test('a further page repeats no request', () => {
  const state = withNextPage(fromFirstPage(page(['5', '4'], '4', 9)), page(['4', '3'], null, 9));
  expect(state).toMatchObject({ ids: ['5', '4', '3'], nextCursor: null, loadingMore: false, total: 9 });
});

describe('a changed request', () => {
  const start = withHead(fromFirstPage(page(['5', '4', '3'])), page(['6', '5', '4', '3']));

  test('stays for a while to show how it ended, and is counted once', () => {
    const denied = [item('4', { status: 'denied' })];
    const state = withChanged(start, denied, all);
    expect(state).toMatchObject({ ids: ['5', '4', '3'], total: 3 });
    expect([...state.leaving]).toEqual(['4']);
    expect(withChanged(state, denied, all).total).toBe(3);
    expect(without(state, ['4'])).toMatchObject({ ids: ['5', '3'], leaving: new Set() });
  });

  test('disappears silently if it was never shown', () => {
    const state = withChanged(start, [item('6', { status: 'expired' })], all);
    expect(state).toMatchObject({ arriving: [], ids: ['5', '4', '3'], total: 3 });
  });

  test('also leaves when it no longer matches the filters, and stays pending', () => {
    const state = withChanged(start, [item('5', { can_decide: false })], ({ can_decide }) => can_decide);
    expect([...state.leaving]).toEqual(['5']);
    expect(state.total).toBe(4);
  });
});

test('a refusal stays until the request is decided', () => {
  const start = fromFirstPage(page(['1']));
  const refused = withRefusals(start, [{ intent_id: '1', error: { message: 'No.' } }]);
  expect(refused.refused.get('1')).toBe('No.');
  expect(withRefusals(refused, [{ intent_id: '1' }]).refused.size).toBe(0);
});
