/**
 * Texts and parameters that hide something or look like something else. For the attack tool and the adversarial tests.
 */
import type { JsonObject } from '@permitry/protocol';

/** By their defect. An approver must see them in full and without effect. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
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
/** Each text as a value and in a name, and parameters that are easily changed in transit. */
export const HOSTILE_PARAMS: Readonly<Record<string, JsonObject>> = {
  ...TRICKY,
  ...Object.fromEntries(
    Object.entries(HOSTILE_TEXTS).map(([name, text]) => [name, { [[...text].slice(0, 50).join('')]: text }]),
  ),
};
