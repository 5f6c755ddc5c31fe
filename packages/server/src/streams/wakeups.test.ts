import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WaitingRoom } from './wakeups.ts';

describe('waiters for an intent', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a wake-up wakes every waiter of its intent and no other', async () => {
    const room = new WaitingRoom();
    const first = room.listen('int_1', 60_000);
    const second = room.listen('int_1', 60_000);
    const other = room.listen('int_2', 60_000);
    expect(room.waiting).toBe(3);

    room.wake('int_1');
    expect(await first).toBe(true);
    expect(await second).toBe(true);
    expect(room.waiting).toBe(1);

    vi.advanceTimersByTime(60_000);
    expect(await other).toBe(false);
    expect(room.waiting).toBe(0);
  });

  test('a wake-up between listening and the first await is not lost', async () => {
    const room = new WaitingRoom();
    const waiter = room.listen('int_1', 1_000);
    room.wake('int_1');
    expect(await waiter).toBe(true);
  });

  test('a waiter gets false when its time is over, or is zero from the start', async () => {
    const room = new WaitingRoom();
    expect(await room.listen('int_1', 0)).toBe(false);
    const waiter = room.listen('int_1', 1_000);
    vi.advanceTimersByTime(999);
    expect(room.waiting).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await waiter).toBe(false);
  });

  test('a waiter that disconnects is removed with its timer', async () => {
    const room = new WaitingRoom();
    const gone = new AbortController();
    const waiter = room.listen('int_1', 60_000, gone.signal);
    gone.abort();
    expect(await waiter).toBe(false);
    expect(room.waiting).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(await room.listen('int_1', 60_000, gone.signal)).toBe(false);
  });

  test('closing releases all waiters, and later ones at once', async () => {
    const room = new WaitingRoom();
    const waiters = ['int_1', 'int_1', 'int_2'].map((id) => room.listen(id, 60_000));
    room.close();
    expect(await Promise.all(waiters)).toEqual([false, false, false]);
    expect(await room.listen('int_3', 60_000)).toBe(false);
    expect(room.waiting).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waking an intent without waiters does nothing', () => {
    const room = new WaitingRoom();
    room.wake('int_1');
    expect(room.waiting).toBe(0);
  });

  test('ten thousand waiters on ten thousand intents are each woken once', async () => {
    const room = new WaitingRoom();
    const ids = Array.from({ length: 10_000 }, (_, n) => `int_${n}`);
    const waiters = ids.map((id) => room.listen(id, 60_000));
    for (const id of ids) room.wake(id);
    expect((await Promise.all(waiters)).every((woken) => woken)).toBe(true);
    expect(room.waiting).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
