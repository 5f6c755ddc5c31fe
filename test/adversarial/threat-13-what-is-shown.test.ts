/** Threat 13: an approver is shown what was asked: whole, exact, inert, with nothing that hides or passes for something else. */
import {
  canonicalJson,
  hashJson,
  type IntentHashInput,
  intentHash,
  type JsonObject,
} from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHashes, type ShownIntent } from '../../packages/dashboard/src/decide/check-hashes.ts';
import { toSegments } from '../../packages/protocol/src/inert-text/to-segments.ts';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused } from './surfaces.ts';

let t: Arena;
let ann: SignedIn;

beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await signedIn(t.gate, (await t.addPerson('ann@example.org', 'approver')).userId);
});
afterAll(() => t.close());

const TEXTS: Readonly<Record<string, string>> = {
  markup: '<script>alert(1)</script><img src=x onerror=alert(2)><style>*{display:none}</style>',
  'markdown and links': '[click](javascript:alert(1)) ![x](http://evil.example/x.png) **approved**',
  'direction marks': 'pay \u202e000,1 rof eciovni\u202c \u2066hidden\u2069 \u200f\u200e\u061c',
  'zero width': 'a\u200bb\u200cc\u200dd\ufeffe\u2060f\u00adg\u034fh\u180ei',
  'tag characters': `ok${[...'approve'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}`,
  'variation selectors': 'a\ufe00\ufe0f\u{e0100}\u{e01ef}',
  controls: 'bell\u0007 escape\u001b[2J delete\u007f next\u0085 cr\r',
  'odd spaces': 'a\u00a0b\u2003c\u3000d\u2800e\u3164f\u115fg\u1680h\u205fi',
  separators: 'a\u2028b\u2029c',
  'private use and unassigned': '\ue000\u{f0000}\u{e0fff}\uffff',
  'stacked marks': `Z${'\u0300\u0489'.repeat(300)}algo`,
  'a lone mark': '\u0338\u20e4',
  'right-to-left letters': 'pay 100 \u05e9\u05dc\u05d5\u05dd 200 \u0645\u0631\u062d\u0628\u0627 300',
  'two alphabets': 'p\u0430yp\u0430l \u0440\u0430\u0443\u0440\u0430\u04cf \u03c1ay',
  'stylised letters': '\u{1d429}\u{1d41a}\u{1d432} \uff50\uff41\uff59',
  'false hosts': 'https://bank.example\u2215login@evil.example/ \u0440aypal.com\u2024evil',
  '200 kB': `${'x'.repeat(200_000)}END`,
  '40,000 that cannot be seen': '\u200b\u200c'.repeat(20_000),
};
const TRICKY: Readonly<Record<string, JsonObject>> = {
  numbers: { one: 1.0, zero: -0, big: 9007199254740991, small: 1e-7, least: 5e-324 },
  'empty things': { text: '', list: [], group: {}, nothing: null, no: false },
  'names that lie': { '': 1, ' ': 2, a: 3, 'a\u200b': 4, '\u0430': 5, constructor: 6, toString: 7 },
  'two spellings of one letter': { '\u00e9': 'NFC', 'e\u0301': 'NFD' },
  'a long list': { list: Array.from({ length: 3000 }, (_, i) => i) },
};
const PARAMS: Readonly<Record<string, JsonObject>> = {
  ...TRICKY,
  ...Object.fromEntries(
    Object.entries(TEXTS).map(([name, text]) => [name, { [[...text].slice(0, 50).join('')]: text }]),
  ),
};

async function ask(params: JsonObject, metadata: JsonObject = {}): Promise<string> {
  const { status, body } = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'payments.refund', params, metadata },
  });
  expect(status).toBe(201);
  return String(body.id);
}

const look = (id: string, method = 'GET', query = '') =>
  t.call(method, `/console/intents/${id}${query}`, { headers: ann.headers });

describe('the page is given exactly what was hashed', () => {
  it.each(Object.entries(PARAMS))('%s', async (_name, params) => {
    // Beside 200 kB of parameters there is no room for them twice.
    const metadata = JSON.stringify(params).length < 100_000 ? { words: params } : {};
    const shown = await look(await ask(params, metadata));
    const { canonical_params, hashed, params_hash, intent_hash } = shown.body;
    expect(canonical_params).toBe(canonicalJson(params));
    expect(params_hash).toBe(hashJson(params));
    const rest = hashed as Omit<IntentHashInput, 'params'>;
    expect(intentHash({ ...rest, params })).toBe(intent_hash);
    expect(rest.metadata).toEqual(JSON.parse(canonicalJson(metadata)));
    expect(checkHashes(shown.body as unknown as ShownIntent).kind).toBe('same');
  });
});

describe('what the page makes of a text', () => {
  const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

  it.each(Object.entries(TEXTS))(
    '%s: everything is there, and nothing that cannot be seen',
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

  it('nothing that runs from right to left stands beside anything else', () => {
    for (const text of Object.values(TEXTS)) {
      for (const segment of toSegments(text)) {
        if (segment.kind === 'plain') expect(segment.text).not.toMatch(/[\u0590-\u08ff]/);
      }
    }
  });
});

describe('looking and deciding', () => {
  it('looking changes nothing, however it is asked for', async () => {
    const id = await ask({ amount: 5 });
    await t.expectUnchanged(async () => {
      for (const method of ['GET', 'HEAD']) {
        for (const query of ['', '?decision=approve', '?_method=PATCH&approve=1']) {
          expect((await look(id, method, query)).status).toBe(200);
          expect(
            (await t.call(method, `/approve/${id}${query}`, { headers: ann.headers })).status,
          ).toBeLessThan(504);
        }
      }
    });
  });

  it('what is decided is what was shown: any other hash is refused at both doors', async () => {
    const id = await ask({ amount: 5 });
    const other = String((await look(await ask({ amount: 5 }))).body.intent_hash);
    const { intent_hash: own, params_hash } = (await look(id)).body;
    const bob = await t.addPerson('bob@example.org', 'approver');
    await t.expectUnchanged(async () => {
      for (const intent_hash of [other, params_hash, '', String(own).toUpperCase()]) {
        for (const decision of ['approve', 'deny']) {
          const answer = await t.call('PATCH', `/api/intents/${id}`, {
            headers: ann.headers,
            body: { decision, intent_hash },
          });
          expectRefused('A', answer, 409, 'CONFLICT');
          const atB = await t.call('POST', `/v1/intents/${id}/${decision}`, {
            key: bob.token,
            body: { intent_hash },
          });
          expectRefused('B', atB, 409, 'CONFLICT');
        }
      }
    });
    const answer = await t.call('PATCH', `/api/intents/${id}`, {
      headers: ann.headers,
      body: { decision: 'approve', intent_hash: own },
    });
    expect(answer.body.status).toBe('approved');
  });
});
