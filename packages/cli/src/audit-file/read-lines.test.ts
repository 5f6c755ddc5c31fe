import { expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

async function linesOf(...chunks: (string | Buffer)[]): Promise<string[]> {
  const stream = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  })();
  const lines: string[] = [];
  for await (const line of readLines(stream)) lines.push(line);
  return lines;
}

test('lines are whole wherever a chunk ends, even inside a character', async () => {
  const bytes = Buffer.from('äb\nc\n\nd\n');
  for (let at = 0; at <= bytes.length; at++) {
    expect(await linesOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(['äb', 'c', '', 'd']);
  }
});

test('only LF ends a line; a record may contain other separators', async () => {
  expect(await linesOf('{"reason":"a\u2028b\u2029c\u0085d"}\r\n{}')).toEqual([
    '{"reason":"a\u2028b\u2029c\u0085d"}',
    '{}',
  ]);
});

test('a line that is not UTF-8, begins with a BOM or never ends is returned as text that is not JSON', async () => {
  expect(await linesOf(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), '{}\n')).toEqual(['\ufffd', '{}']);
  expect(await linesOf('\ufeff{}\n')).toEqual(['\ufeff{}']);
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  expect(await linesOf(...Array.from({ length: 40 }, () => megabyte))).toEqual(['\ufffd']);
});
