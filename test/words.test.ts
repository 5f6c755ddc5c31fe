/** Tests the script behind `npm run check:words`: what it reads of a file, and which turns of phrase it refuses. */
import { describe, expect, test } from 'vitest';
import { textsOfMarkdown, textsOfSource, textsOfYaml } from '../scripts/words/texts.ts';
import { TURNS, TURNS_SHOWN } from '../scripts/words/turns.ts';

const found = (text: string): string[] =>
  [...TURNS, ...TURNS_SHOWN]
    .filter(({ pattern }) => [...text.matchAll(pattern)].length > 0)
    .map(({ id }) => id);

describe('the script reads', () => {
  test('comments of a source joined over their lines, strings, and text of pages, without code', () => {
    const source = [
      '/**',
      ' * Says `anew` in code,',
      ' * and goes on.',
      ' */',
      "import { a } from './not-a-text at all.ts';",
      '// The first line',
      '// and the second.',
      'const one = `made $' + '{anew} for you`;',
      "const page = <p title='two words'>Some text</p>; // At the end.",
    ].join('\n');
    expect(textsOfSource('page.tsx', source)).toEqual([
      { kind: 'string', text: 'made … for you', line: 8 },
      { kind: 'string', text: 'two words', line: 9 },
      { kind: 'string', text: 'Some text', line: 9 },
      { kind: 'comment', text: 'Says … in code, and goes on.', line: 1 },
      { kind: 'comment', text: 'The first line and the second.', line: 6 },
      { kind: 'comment', text: 'At the end.', line: 9 },
    ]);
  });

  test('each item of a list in a comment by itself, and no example, which is code', () => {
    const source =
      '/**\n * Two things:\n * - one of them\n * - the other.\n *\n * @example\n * anew();\n */\n';
    expect(textsOfSource('list.ts', source).map(({ text }) => text)).toEqual([
      'Two things:',
      '- one of them',
      '- the other.',
    ]);
  });

  test('paragraphs and rows of a document, without fences and addresses', () => {
    const source = '# Head\n\nOne line\nand [more](by-now.md).\n\n```sh\nanew\n```\n| a | `b` |\n| c | d |\n';
    expect(textsOfMarkdown(source)).toEqual([
      { kind: 'prose', text: '# Head', line: 1 },
      { kind: 'prose', text: 'One line and [more].', line: 3 },
      { kind: 'prose', text: '| a | … |', line: 9 },
      { kind: 'prose', text: '| c | d |', line: 10 },
    ]);
  });

  test('comments of YAML', () => {
    expect(textsOfYaml('a: b # says\n# more\nc: "#d"\n')).toEqual([
      { kind: 'comment', text: 'says', line: 1 },
      { kind: 'comment', text: 'more', line: 2 },
    ]);
  });
});

describe('the script refuses', () => {
  test.each([
    ['A1', 'It was made anew.'],
    ['A2', 'The policy in force decides.'],
    ['A3', 'It stands in the log.'],
    ['A4', 'This is what became of it.'],
    ['A5', 'The gate takes it back.'],
    ['A6', 'The requester is told of it.'],
    ['A7', 'It is published no more.'],
    ['A8', 'It is read nowhere any more.'],
    ['A9', 'It ends after so many days.'],
    ['A10', 'The policy of now is asked.'],
    ['A11', 'The link is good for 5 minutes.'],
    ['B1', 'Whoever asks waits.'],
    ['B2', 'A friend of yours asked.'],
    ['B3', 'The intent is pending.'],
    ['B4', 'It is kept for ever.'],
    ['B5', 'It waits for a decision.'],
  ])('%s', (rule, sentence) => {
    expect(found(sentence)).toEqual([rule]);
  });

  test.each([
    'As of now, 12 of 200 are used.',
    'A standing approval stands for its limits.',
    'The server takes the file back to the folder.',
    'The intent hash covers it, and int_1/intents do too.',
    'No more than ten are shown.',
  ])('nothing in: %s', (sentence) => {
    expect(found(sentence)).toEqual([]);
  });
});
