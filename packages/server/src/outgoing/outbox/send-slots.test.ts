import { beforeEach, describe, expect, test } from 'vitest';
import { WEBHOOK_SLOTS } from '../webhooks/webhook-sender.ts';
import { SendSlots } from './send-slots.ts';

let sendSlots: SendSlots;
beforeEach(() => {
  sendSlots = new SendSlots(WEBHOOK_SLOTS);
});

const well = (id: string, projectId = 'prj_1') => ({ id, projectId, failures: 0 });
const failing = (id: string, projectId = 'prj_1') => ({ id, projectId, failures: 1 });
const soon = { delivered: true, durationMs: 20 };

/** Reports the same answer for each of the `taken` slots. */
function answer(id: string, taken: number, how: { delivered: boolean; durationMs: number }): void {
  for (let n = 0; n < taken; n += 1) sendSlots.learn(id, how);
}

describe('the send slots of one receiver', () => {
  test('are few at first, and none is taken twice', () => {
    expect(sendSlots.take(well('a'))).toBe(8);
    expect(sendSlots.take(well('a'))).toBe(0);
    sendSlots.give('a', 3);
    expect(sendSlots.take(well('a'))).toBe(3);
  });

  test('increase while it keeps up, but not without limit', () => {
    expect(sendSlots.take(well('a'))).toBe(8);
    answer('a', 8, soon);
    expect(sendSlots.take(well('a'))).toBe(8);
    answer('a', 100, soon);
    expect(sendSlots.take(well('a'))).toBe(48);
    expect(sendSlots.take(well('a'))).toBe(0);
  });

  test('decrease when it is slow or fails, and are few again when nothing was sent to it for a while', () => {
    sendSlots.take(well('a'));
    answer('a', 100, soon);
    sendSlots.take(well('a'));
    answer('a', 1, { delivered: true, durationMs: 1000 });
    answer('a', 1, { delivered: false, durationMs: 5 });
    sendSlots.give('a', 63);
    expect(sendSlots.take(well('a'))).toBe(15);
    answer('a', 9, { delivered: false, durationMs: 5 });
    sendSlots.give('a', 15);
    expect(sendSlots.take(well('a'))).toBe(7);
    sendSlots.give('a', 8);
    answer('a', 50, soon);
    expect(sendSlots.take(well('a'))).toBe(8);
  });

  test('are reduced to one after a recent failure', () => {
    expect(sendSlots.take(failing('a'))).toBe(1);
    expect(sendSlots.take(failing('a'))).toBe(0);
    sendSlots.give('a');
    expect(sendSlots.take(failing('a'))).toBe(1);
  });
});

test('the receivers of one project hold at most a quarter of all slots, whatever their number', () => {
  const taken = Array.from({ length: 40 }, (_, n) => sendSlots.take(well(`w${n}`)));
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(128);
  expect(sendSlots.take(well('of another', 'prj_2'))).toBe(8);
});

test('failing receivers together hold at most half of all slots, and leave room for the others', () => {
  for (let n = 0; n < 300; n += 1) sendSlots.take(failing(`w${n}`, `prj_${n}`));
  expect(sendSlots.take(failing('one more', 'prj_x'))).toBe(0);
  expect(sendSlots.take(well('well', 'prj_y'))).toBe(8);
});

test('the receiver with the fewest taken slots comes first', () => {
  sendSlots.take(well('a'));
  sendSlots.take(failing('b'));
  expect(sendSlots.rotated([{ id: 'a' }, { id: 'b' }, { id: 'c' }]).map(({ id }) => id)).toEqual([
    'c',
    'b',
    'a',
  ]);
});
