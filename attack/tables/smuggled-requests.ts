/** Ways to hide a second request in the body of a first. For the attack tool and the adversarial tests. */

/** The defect, the rest of the head with the hidden request, and the status if it is not 400. */
export const SMUGGLED_REQUESTS: readonly (readonly [
  what: string,
  rest: (body: string) => string[],
  status?: number,
])[] = [
  ['lengths of two kinds', (body: string) => ['Content-Length: 5', 'Transfer-Encoding: chunked', '', body]],
  ['two lengths', (body: string) => ['Content-Length: 0', `Content-Length: ${body.length}`, '', body]],
  ['two lengths in one', (body: string) => [`Content-Length: 0, ${body.length}`, '', body]],
  ['a length with a sign', (body: string) => [`Content-Length: +${body.length}`, '', body]],
  ['a length in hexadecimal', (body: string) => ['Content-Length: 0x5', '', body]],
  ['a length before a space', (body: string) => ['Content-Length : 5', '', body]],
  ['a folded header', (body: string) => ['X-A: b', ' Content-Length: 5', '', body]],
  ['an encoding nobody knows', (body: string) => ['Transfer-Encoding: xchunked', '', body]],
  [
    'an encoding that is not undone',
    (body: string) => [
      'Transfer-Encoding: gzip, chunked',
      '',
      `${body.length.toString(16)}`,
      body,
      '0',
      '',
      '',
    ],
    501,
  ],
  [
    'an encoding that is not undone, in a field of its own',
    (body: string) => [
      'Transfer-Encoding: deflate',
      'Transfer-Encoding: chunked',
      '',
      '2',
      '{}',
      '0',
      '',
      body,
    ],
    501,
  ],
  ['an encoding twice', (body: string) => ['Transfer-Encoding: chunked, chunked', '', body]],
  ['a chunk of a strange size', (body: string) => ['Transfer-Encoding: chunked', '', '0x5', body]],
  ['a chunk of a negative size', (body: string) => ['Transfer-Encoding: chunked', '', '-1', body]],
  [
    'a chunk larger than memory',
    (body: string) => ['Transfer-Encoding: chunked', '', 'ffffffffffffffff1', body],
  ],
];
