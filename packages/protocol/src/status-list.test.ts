import { readFileSync } from 'node:fs';
import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeStatusList, type EncodedStatusList, type StatusBits, StatusList } from './status-list.ts';

interface Vector extends EncodedStatusList {
  name: string;
  size: number;
  statuses: [index: number, status: number][];
}

const { lists } = JSON.parse(
  readFileSync(new URL('../test-data/status-list.vectors.json', import.meta.url), 'utf8'),
) as { lists: Vector[] };

function pack({ bits, bytes }: StatusList): EncodedStatusList {
  return { bits, lst: deflateSync(bytes, { level: 9 }).toString('base64url') };
}

describe.each(lists)('the published example $name', ({ bits, lst, size, statuses }) => {
  const said = new Map(statuses);

  it('decodes to exactly its statuses, and 0 everywhere else', async () => {
    const list = await decodeStatusList({ bits, lst });
    expect(list?.size).toBe(size);
    const wrong = Array.from({ length: size }, (_, index) => index).filter(
      (index) => list?.get(index) !== (said.get(index) ?? 0),
    );
    expect(wrong).toEqual([]);
    expect(list?.get(size)).toBeUndefined();
  });

  it('has the bytes that packing its statuses gives, before compression', async () => {
    const made = StatusList.ofSize(size, bits);
    for (const [index, status] of statuses) made.set(index, status);
    // Up to a million bytes, compared as buffers: a matcher would compare them one by one.
    for (const list of [await decodeStatusList({ bits, lst }), await decodeStatusList(pack(made))])
      expect(list && Buffer.compare(list.bytes, made.bytes)).toBe(0);
  });
});

const BITS: StatusBits[] = [1, 2, 4, 8];

it('a status that is set is read back, changes no other status, and survives packing', async () => {
  const anything = fc.constantFrom(...BITS).chain((bits) =>
    fc.record({
      bits: fc.constant(bits),
      entries: fc.array(fc.tuple(fc.nat(199), fc.nat(2 ** bits - 1))),
    }),
  );
  await fc.assert(
    fc.asyncProperty(anything, async ({ bits, entries }) => {
      const list = StatusList.ofSize(200, bits);
      for (const [index, status] of entries) list.set(index, status);
      const expected = new Map(entries);
      const read = await decodeStatusList(pack(list));
      for (let index = 0; index < 200; index += 1) expect(read?.get(index)).toBe(expected.get(index) ?? 0);
    }),
  );
});

describe('a status list', () => {
  const list = StatusList.ofSize(16, 2);

  it('has no known status for a place outside it', () => {
    for (const index of [-1, 16, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(list.get(index)).toBeUndefined();
      expect(() => list.set(index, 1)).toThrow(RangeError);
    }
  });

  it('refuses a status that needs more bits', () => {
    for (const status of [4, -1, 0.5, Number.NaN]) expect(() => list.set(0, status)).toThrow(RangeError);
    expect(list.bytes).toEqual(new Uint8Array(4));
  });
});

describe('a text that is not a status list is refused', () => {
  const { lst } = pack(StatusList.ofSize(16, 2));

  it.each<[string, unknown]>([
    ['another number of bits', { bits: 3, lst }],
    ['bits given as a text', { bits: '2', lst }],
    ['padding', { bits: 2, lst: `${lst}=` }],
    ['no base64url', { bits: 2, lst: '$' }],
    ['no text', { bits: 2, lst: 7 }],
    ['nothing', { bits: 2, lst: '' }],
    ['cut off', { bits: 2, lst: Buffer.from(lst, 'base64url').subarray(0, 5).toString('base64url') }],
    ['another compression', { bits: 2, lst: deflateRawSync(Buffer.alloc(4)).toString('base64url') }],
    ['not compressed', { bits: 2, lst: Buffer.alloc(64).toString('base64url') }],
    [
      'a list that unpacks to far more than it seems',
      { bits: 2, lst: deflateSync(Buffer.alloc(64 << 20)).toString('base64url') },
    ],
    [
      'a list slightly longer than the limit',
      { bits: 8, lst: deflateSync(Buffer.alloc(2 ** 20 + 1)).toString('base64url') },
    ],
  ])('%s', async (_, encoded) => {
    expect(await decodeStatusList(encoded as EncodedStatusList)).toBeUndefined();
  });
});
