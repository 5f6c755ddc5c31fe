/**
 * Bodies, media types and paths meant to harm the program that reads them. For the attack tool and the adversarial
 * tests.
 */

const LIMIT = 256 * 1024;
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** A body in the given shape, of as many bytes as the limit. */
function filled(opening: string, item: (index: number) => string, closing: string): string {
  const items: string[] = [];
  for (let size = opening.length + closing.length, index = 0; ; index += 1) {
    const next = item(index);
    size += next.length + 1;
    if (size > LIMIT) return opening + items.join(',') + closing;
    items.push(next);
  }
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

/**
 * The gate refuses these with 400.
 *
 * @param params the member that holds the parameters: `context` or `params`.
 */
export const hostileBodies = (params: string): readonly (readonly [string, string | Buffer])[] => [
  ['depth 65, objects', `{"${params}":${nested(64, '{"a":', '}').replace('}', '1}')}}`],
  ['depth 65, lists', `{"${params}":{"a":${nested(63, '[', ']')}}}`.replace('[]', '[[]]')],
  ['a hundred thousand lists', nested(100_000, '[', ']')],
  ['a hundred thousand openings', '['.repeat(100_000)],
  ['a hundred thousand objects unclosed', '{"a":'.repeat(40_000)],
  ['__proto__', `{"action":"a","${params}":{"__proto__":{"x":1}}}`],
  ['__proto__ escaped', `{"action":"a","${params}":{"\\u005f\\u005fproto\\u005f\\u005f":{"x":1}}}`],
  ['__proto__ on top', '{"__proto__":{"action":"a"},"source_type":"ai_agent"}'],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], '{"action":"a"}')],
  ['UTF-16', Buffer.from('{"action":"a"}', 'utf16le')],
  ['UTF-16 with its mark', bytes([0xff, 0xfe], [0x7b, 0, 0x7d, 0])],
  ['a byte that is no UTF-8', bytes('{"action":"', [0xff], '"}')],
  ['a letter spelled too long', bytes('{"action":"', [0xc1, 0x81], '"}')],
  ['a surrogate in UTF-8', bytes('{"action":"', [0xed, 0xa0, 0x80], '"}')],
  ['a character beyond the last', bytes('{"action":"', [0xf4, 0x90, 0x80, 0x80], '"}')],
  ['a sequence cut off', bytes('{"action":"', [0xe2, 0x82])],
  ['a lone surrogate', '{"action":"\\udc00"}'],
  ['1e400', `{"action":"a","${params}":{"n":1e400}}`],
  ['a number of 200,000 digits', `{"action":"a","${params}":{"n":${'9'.repeat(200_000)}}}`],
  [
    'a fraction of 200,000 digits and an exponent',
    `{"action":"a","${params}":{"n":1.${'0'.repeat(200_000)}e9999}}`,
  ],
  ['an exponent of 200,000 digits', `{"action":"a","${params}":{"n":1e${'9'.repeat(200_000)}}}`],
  ['no JSON', 'action=a&source_type=ai_agent'],
  ['two documents', '{"action":"a"}{"action":"b"}'],
  ['a NUL behind it', '{"action":"a","source_type":"ai_agent"}\u0000'],
  ['a list', '[{"action":"a"}]'],
  ['a text', '"a"'],
  ['null', 'null'],
  ['only white space', ' '.repeat(1000)],
  ['a hundred thousand white spaces inside', `{"action"${' '.repeat(100_000)}:1,}`],
  ['twenty thousand unknown members', filled('{', (i) => `"m${i}":1`, '}')],
  ['one name of 250,000 letters', `{"${'x'.repeat(250_000)}":1}`],
  ['a list of 60,000 approvers', filled('{"action":"a","approvers":[', (i) => `"${i}"`, ']}')],
  ['60,000 times the same approver', filled('{"action":"a","approvers":[', () => '"a"', ']}')],
  ['a list of 40,000 objects for approvers', filled('{"action":"a","approvers":[', () => '{}', ']}')],
  ['an action of 250,000 letters', `{"action":"${'a'.repeat(250_000)}"}`],
  ['a source of 250,000 letters', `{"action":"a","source":"${'a'.repeat(250_000)}"}`],
];

/** The gate refuses these with 413. */
export const tooLargeBodies = (): readonly (readonly [string, string | Buffer])[] => [
  ['a byte too much', `{"action":"${'a'.repeat(LIMIT)}"}`],
  ['10 MB', Buffer.alloc(10 * 1024 * 1024, 0x20)],
  ['a million members', `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":1`).join(',')}}`],
  ['a million lists', nested(1_000_000, '[', ']')],
];

/** Media types with their headers that the gate refuses with 415. */
export const OTHER_MEDIA_TYPES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['text/plain', {}],
  ['application/x-www-form-urlencoded', {}],
  ['multipart/form-data; boundary=x', {}],
  ['application/xml', {}],
  ['application/jsonp', {}],
  ['application/json; charset=utf-16', {}],
  ['application/json; charset=iso-8859-1', {}],
  ['application/json; charset=utf-8; charset=utf-16', {}],
  ['application/json, text/plain', {}],
  ['application/json; boundary=x', {}],
  ['application/vnd.api+json', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
  ['application/json', { 'content-encoding': 'identity, deflate' }],
  ['application/json', { 'content-encoding': 'br' }],
];

/** Paths that do not exist, whatever the method. */
export const ODD_PATHS: readonly string[] = [
  '/v1/intents/',
  '//v1/intents',
  '/v1//intents',
  '/V1/intents',
  '/v1/INTENTS',
  '/api/../v1/intents',
  '/api/%2e%2e/v1/intents',
  '/v1/intents%2f..%2f..',
  '/v1/intents;x=1',
  '/v1/intents/x/approve',
  '/v1/intents/x%2fapprove',
  '/v1/intents/..%2f..%2fhealthz/permit/',
  '/v1/projects/..%2f/keys',
  '/v1%2fintents',
  '/%76%31/intents/',
  '/v1/intents\\..',
  '/metrics',
  '/.env',
  '/.git/config',
  '/approve/../v1/intents',
  `/v1/intents/${'x'.repeat(2000)}`,
  `/${'x/'.repeat(4000)}`,
  `/v1/${'intents/'.repeat(1000)}`,
];
