import { describe, expect, it } from 'vitest';
import { isBusId, readMessage, writeMessages } from './bus-messages.ts';

describe('messages of the bus', () => {
  it('are read as they were written', () => {
    const [payload = ''] = writeMessages('gate1', 'resolved', ['int_1', 'int_2']);
    expect(readMessage(payload)).toEqual({ sender: 'gate1', topic: 'resolved', ids: ['int_1', 'int_2'] });
  });

  it('hold as many ids as a payload allows, and continue in the next', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `int_${String(index).padStart(26, '0')}`);
    const payloads = writeMessages('gate1', 'sealed', ids);
    expect(payloads.length).toBeGreaterThan(1);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
    expect(payloads.flatMap((payload) => readMessage(payload)?.ids)).toEqual(ids);
    expect(writeMessages('gate1', 'sealed', [])).toEqual([]);
  });

  it.each([
    '',
    'gate1',
    'gate1 resolved ',
    'gate1 resolved int_1,',
    'gate1 resolved ,int_1',
    'gate1 resolved int_1 int_2',
    'gate1 unheard int_1',
    'gate1 constructor int_1',
    'gate1 RESOLVED int_1',
    ' resolved int_1',
    'gate1  resolved int_1',
    "gate1 resolved int_1';drop table events",
    'gate1 resolved int_1\n',
    'gate1 resolved \u0000',
    `gate1 resolved ${'x'.repeat(101)}`,
    `gate1 resolved ${'x,'.repeat(5000)}`,
    '{"topic":"resolved","id":"int_1"}',
  ])('are ignored when malformed: %j', (payload) => {
    expect(readMessage(payload)).toBeUndefined();
  });

  it('may only hold ids that could exist', () => {
    expect(['int_1', 'a-b_C', 'x'.repeat(100)].every(isBusId)).toBe(true);
    expect(['', 'a b', 'a,b', 'ä', 'x'.repeat(101)].some(isBusId)).toBe(false);
  });
});
