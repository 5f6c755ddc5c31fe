import { isPlain, type Segment, toSegments } from '@permitry/protocol/inert-text';
import { describe, expect, test } from 'vitest';
import { findAddresses } from './find-addresses.ts';
import { headOf, saySize, sizeOf } from './text-size.ts';

/** The text as a reader would see it: labels in ⟨⟩, suspects in ‹›, right-to-left text in «». */
function seen(text: string): string {
  return toSegments(text).map(show).join('');
}

function show(segment: Segment): string {
  switch (segment.kind) {
    case 'plain':
      return segment.text;
    case 'rtl':
      return `«${segment.text}»`;
    case 'break':
      return '⏎';
    case 'unseen':
      return `⟨${segment.label}⟩`;
    case 'note':
      return `⟦${segment.label}⟧`;
    case 'suspect':
      return `‹${segment.text}: ${segment.why}›`;
  }
}

describe('invisible characters', () => {
  test.each([
    ['a right-to-left override', 'gnp.exe\u202egpj', 'gnp.exe⟨U+202E RLO⟩gpj'],
    ['isolates', '\u2066a\u2069', '⟨U+2066 LRI⟩a⟨U+2069 PDI⟩'],
    ['zero width', 'pay\u200bpal\u2060\ufeff', 'pay⟨U+200B ZWSP⟩pal⟨U+2060 word joiner⟩⟨U+FEFF BOM⟩'],
    ['controls', 'a\u0000\u001b[2J\r\u0085', 'a⟨U+0000 NUL⟩⟨U+001B ESC⟩[2J⟨U+000D CR⟩⟨U+0085 NEL⟩'],
    ['line breaks and tabs', 'a\n\tb', 'a⏎⟨U+0009 TAB⟩b'],
    ['odd spaces', 'a\u00a0b\u3000', 'a⟨U+00A0 no-break space⟩b⟨U+3000 ideographic space⟩'],
    ['fillers', '\u3164\u115f\u2800', '⟨U+3164 Hangul filler⟩⟨U+115F Hangul filler⟩⟨U+2800 Braille blank⟩'],
    ['variation selectors', 'a\ufe0f\u{e0100}', 'a⟨U+FE0F VS16⟩⟨U+E0100 VS17⟩'],
    ['private use', '\ue000', '⟨U+E000 private use⟩'],
    ['soft hyphens', 'a\u00adb', 'a⟨U+00AD soft hyphen⟩b'],
    ['half a pair', 'a\ud800b', 'a⟨U+D800 half a character⟩b'],
  ])('%s get a label', (_name, text, expected) => {
    expect(seen(text)).toBe(expected);
    expect(isPlain(text)).toBe(text === 'a\nb');
  });

  test('the label says what tag characters spell', () => {
    const hidden = [...'approve me'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');
    expect(seen(`ok${hidden}`)).toBe('ok⟨10 unseen characters that spell “approve me”⟩');
  });

  test('many of one kind are counted, not dropped', () => {
    expect(seen(`a${'\u200b'.repeat(1000)}b`)).toBe('a⟨1000 × U+200B ZWSP⟩b');
  });

  test('marks stacked on a letter are counted; the few of a language stay', () => {
    expect(seen(`Z${'\u0300'.repeat(40)}algo`)).toBe('Z⟨40 combining marks⟩algo');
    expect(seen('q\u0301')).toBe('q\u0301');
    expect(seen('नमस्ते')).toBe('नमस्ते');
  });

  test('a mark without a base letter is not drawn on the text before it', () => {
    expect(seen('\u0338x')).toBe('⟨U+0338 combining mark⟩x');
  });

  test.each([
    [
      'pay n\u0336o\u0336t\u0336 100',
      'pay n⟨U+0336 combining mark⟩o⟨U+0336 combining mark⟩t⟨U+0336 combining mark⟩ 100',
    ],
    ['1\u0338\u20e50', '1⟨U+0338 combining mark⟩⟨U+20E5 combining mark⟩0'],
  ])('a mark that is drawn over a letter gets a label: %s', (text, expected) => {
    expect(seen(text)).toBe(expected);
  });

  test('a text that is not NFC has a note, and all its letters', () => {
    expect(seen('cafe\u0301')).toBe('cafe\u0301⟦not NFC⟧');
    expect(seen('caf\u00e9')).toBe('caf\u00e9');
    expect(seen('\u212bngstr\u00f6m')).toContain('⟦not NFC⟧');
  });

  test('emoji get no labels', () => {
    const family = '👨‍👩‍👧 ❤️ 🏴‍☠️';
    expect(seen(family)).toBe(family);
    expect(isPlain(family)).toBe(true);
  });

  test('a joiner that belongs to no emoji is shown', () => {
    expect(seen('a\u200db')).toBe('a⟨U+200D ZWJ⟩b');
  });
});

describe('look-alike characters', () => {
  test.each([
    ['pаypal', 'mixes Latin and Cyrillic letters; reads like “paypal”'],
    ['аррӏе', 'Cyrillic letters that look like Latin “apple”'],
    ['ρay', 'mixes Greek and Latin letters; reads like “pay”'],
    ['ᏢᎪY', 'mixes Cherokee and Latin letters; reads like “PAY”'],
    ['ꓑꓮꓬ', 'Lisu letters that look like Latin “PAY”'],
    ['ⲣаγ', 'mixes Coptic, Cyrillic and Greek letters; reads like “pay”'],
    ['pɑypal', 'unusual Latin letters; reads like “paypal”'],
    ['𝐩𝐚𝐲', 'stylised letters; reads like “pay”'],
    ['ｐａｙ', 'stylised letters; reads like “pay”'],
    ['𝟏𝟎𝟎', 'stylised letters; reads like “100”'],
  ])('%s is marked', (word, why) => {
    expect(toSegments(word)).toEqual([{ kind: 'suspect', text: word, why }]);
  });

  test.each([
    ['kate@почта.example', 'an address that mixes Latin and Cyrillic letters'],
    ['кейт@example.org', 'an address that mixes Cyrillic and Latin letters'],
    ['kατε@example.org', 'an address that mixes Latin and Greek letters'],
  ])('the whole address is marked: %s', (address, why) => {
    expect(toSegments(`to ${address}, please`)).toEqual([
      { kind: 'plain', text: 'to ' },
      { kind: 'suspect', text: address, why },
      { kind: 'plain', text: ', please' },
    ]);
  });

  test('an address in one alphabet is checked word by word', () => {
    expect(seen('zoë@müller.example 田中@東京.example аррӏе@почта.рф')).toBe(
      'zoë@müller.example 田中@東京.example ‹аррӏе: Cyrillic letters that look like Latin “apple”›@почта.рф',
    );
  });

  test.each([
    ['1٢3', 'mixes digits of 2 systems: reads 123'],
    ['१2', 'mixes digits of 2 systems: reads 12'],
    ['٢1', 'mixes digits of 2 systems: reads 21'],
    ['a1𝟚', 'mixes digits of 2 systems: reads a12'],
  ])('digits of two systems in one word are marked: %s', (word, why) => {
    expect(toSegments(word)).toEqual([{ kind: 'suspect', text: word, why }]);
  });

  test.each(['१२३', '٣٤', '100'])('digits of one system are plain: %s', (word) => {
    expect(toSegments(word)).toEqual([{ kind: 'plain', text: word }]);
  });

  test.each(['日本．example.com', '日本．álpha.com', '金额，100'])(
    'full-width punctuation beside other letters is marked: %s',
    (text) => {
      expect(toSegments(text)).toContainEqual(expect.objectContaining({ kind: 'suspect' }));
    },
  );

  test('look-alikes of address punctuation are marked too', () => {
    expect(seen('bank.example∕login')).toBe('bank.example‹∕: U+2215, looks like /›login');
  });

  test.each([
    'payments.refund',
    'ann@example.org',
    'Zoë Müller',
    'café',
    'Привет мир',
    '東京タワー',
    '田中 太郎',
    '你好，请批准。（金额：很大；是吗？）',
    'Ελλάδα',
    'Łódź',
    'kızı',
    'straße',
    'Ærø',
    'þorn',
    'naïve',
    'm²',
    '1º',
    'π',
    '한국어 text',
  ])('%s is plain', (text) => {
    expect(seen(text)).toBe(text);
  });
});

describe('right-to-left text', () => {
  test('is set apart, and the numbers beside it keep their place', () => {
    expect(seen('pay 100 שלום עולם 200 now')).toBe('pay 100 «שלום עולם» 200 now');
  });
});

describe('no text is lost', () => {
  test('segments hold every character', () => {
    const odd = `<b>x</b>\u202e pаy \u200b\u200c\u200d\u200b\u200c\u200d\u200b שלום\n&amp; 𝐩 e${'\u0300'.repeat(9)}`;
    const length = toSegments(odd).reduce((sum, segment) => {
      if (segment.kind === 'unseen') return sum + segment.chars;
      if (segment.kind === 'note') return sum;
      return sum + (segment.kind === 'break' ? 1 : [...segment.text].length);
    }, 0);
    expect(length).toBe([...odd].length);
  });
});

describe('addresses', () => {
  test.each([
    ['https://bank.example@evil.example/x', 'evil.example', ['the part before @ is not the host']],
    ['https://pаypal.com/', 'xn--pypal-4ve.com', ['non-ASCII name, shown in ASCII']],
    ['http://2130706433/', '127.0.0.1', ['written in a different form']],
    ['https:\\\\good.example\\x', 'good.example', ['written with backslashes']],
    ['https://plain.example/path', 'plain.example', []],
  ])('%s leads to %s', (written, host, oddities) => {
    expect(findAddresses(`go ${written} now`)).toEqual([{ written, host, oddities }]);
  });

  test.each([
    ['(see https://evil.example)', 'https://evil.example', 'evil.example'],
    ['(at https://evil.example/x).', 'https://evil.example/x', 'evil.example'],
    ['[https://evil.example/a_(b)]', 'https://evil.example/a_(b)', 'evil.example'],
    ['https://evil.example, now', 'https://evil.example', 'evil.example'],
    ['https://[::1]:8080/', 'https://[::1]:8080/', '[::1]'],
  ])('%s contains the address without the text around it', (text, written, host) => {
    expect(findAddresses(text)).toEqual([{ written, host, oddities: [] }]);
  });

  test('an email address in other letters shows its host', () => {
    expect(findAddresses('to ann@exаmple.org, please')).toMatchObject([{ host: 'xn--exmple-4nf.org' }]);
    expect(findAddresses('to ann@example.org')).toEqual([]);
  });

  test('an address that browsers cannot open has no host', () => {
    expect(findAddresses('http://[::1')).toMatchObject([{ host: '' }]);
  });
});

describe('sizes', () => {
  test('in characters and bytes', () => {
    expect(saySize(sizeOf('é'))).toBe('1 character, 2 bytes');
    expect(saySize(sizeOf('x'.repeat(204_800)))).toBe('204,800 characters, 200 kB');
  });

  test('no character is cut in two', () => {
    expect(headOf('a😀b', 2)).toBe('a😀');
    expect(headOf('ab', 5)).toBe('ab');
  });
});
