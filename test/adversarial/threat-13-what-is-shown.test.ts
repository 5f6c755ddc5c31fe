/** Threat 13: how the page shows what the gate sends. T13-decision-page shows that the gate sends everything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_PARAMS, HOSTILE_TEXTS } from '../../attack/tables/hostile-texts.ts';
import { checkHashes, type ShownIntent } from '../../packages/dashboard/src/decide/check-hashes.ts';
import { toSegments } from '../../packages/protocol/src/inert-text/to-segments.ts';
import { type Arena, openArena } from './open-arena.ts';
import { idOf } from './surfaces.ts';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
});
afterAll(() => t.close());

it.each(Object.entries(HOSTILE_PARAMS))(
  'the decision page confirms that it shows what was hashed: %s',
  async (_name, params) => {
    const id = idOf(await t.surfaces[1].create(t.first.agent_key, 'payments.refund', params));
    const shown = await t.call('GET', `/console/intents/${id}`, { present: t.owner });
    expect(checkHashes(shown.body as unknown as ShownIntent).kind).toBe('same');
  },
);

describe('a text on the decision page', () => {
  const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

  it.each(Object.entries(HOSTILE_TEXTS))(
    'is complete, and draws no invisible character: %s',
    (_name, text) => {
      const segments = toSegments(text);
      const drawn = segments.flatMap((segment) => ('text' in segment ? [segment.text] : []));
      expect(drawn.filter((piece) => UNSEEN.test(piece))).toEqual([]);
      const length = segments.reduce(
        (sum, segment) =>
          sum +
          (segment.kind === 'unseen'
            ? segment.chars
            : segment.kind === 'break'
              ? 1
              : 'text' in segment
                ? [...segment.text].length
                : 0),
        0,
      );
      expect(length).toBe([...text].length);
    },
  );

  it('keeps right-to-left characters apart from all others', () => {
    for (const text of Object.values(HOSTILE_TEXTS)) {
      for (const segment of toSegments(text)) {
        if (segment.kind === 'plain') expect(segment.text).not.toMatch(/[\u0590-\u08ff]/);
      }
    }
  });
});
