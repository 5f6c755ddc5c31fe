/**
 * Finds turns of phrase that read as a translation, comments with long sentences, and texts of the dashboard outside
 * its words modules: `npm run check:words`.
 * `scripts/words/left.json` counts the old ones. Their number may fall and never rise.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags, refuse } from './read-flags.ts';
import { textsOutsideWords } from './words/outside.ts';
import { type Text, textsOfMarkdown, textsOfSource, textsOfYaml } from './words/texts.ts';
import { MOST_WORDS, TURNS, TURNS_SHOWN } from './words/turns.ts';

const ROOT = join(import.meta.dirname, '..');
const LEFT = join(ROOT, 'scripts/words/left.json');
/** Files that quote old words, describe the past, or are generated from something that is checked itself. */
const NOT_CHECKED =
  /^(?:CHANGELOG\.md|docs\/(?:api|decisions|openapi|rights)|docs\/vocabulary\.md|scripts\/words\/|test\/words)|look-alikes/;
const SHOWN =
  /^(?:README\.md|docs\/|examples\/.*\.md|packages\/(?:cli|dashboard)\/src\/|packages\/server\/src\/outgoing\/)/;
/** Documents that may call a request an intent, as the API does. */
const OF_THE_API =
  /^docs\/(?:architecture|sdk|gateway|mcp|operations|performance|scale|faults|security|retention|webhooks|policies|keys|backup|cli)\.md$|^docs\/frameworks\//;

/** Files of the dashboard whose texts belong in a words module. */
const OF_PAGES = /^packages\/dashboard\/src\/(?!.*\.(?:words|test)\.).*\.tsx?$/;

interface Finding {
  rule: string;
  file: string;
  line: number;
  says: string;
}

const ALL_TURNS = [...TURNS, ...TURNS_SHOWN];

const { values } = readFlags({
  options: {
    help: { type: 'boolean', short: 'h' },
    list: { type: 'string' },
    write: { type: 'boolean' },
  },
});

if (values.help) {
  console.log(`Usage: npm run check:words -- [--list RULE] [--write]

--list RULE  print every finding of a rule (A1 to A11, B1 to B5, C1, D1), or of all
--write      lower the stored counts to what is found now`);
} else {
  const findings = listFiles().flatMap(findingsIn);
  const now = Object.fromEntries(
    [...ALL_TURNS, { id: 'C1' }, { id: 'D1' }].map(({ id }) => [
      id,
      findings.filter(({ rule }) => rule === id).length,
    ]),
  );
  if (values.list !== undefined) printFindings(findings, values.list);
  else if (values.write) writeFileSync(LEFT, `${JSON.stringify(now, null, 2)}\n`);
  else compare(now, JSON.parse(readFileSync(LEFT, 'utf8')));
}

function listFiles(): string[] {
  const patterns = ['*.md', '*.ts', '*.tsx', '*.mjs', '*.js', '*.yaml', '*.yml'];
  const files = execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' });
  return files.split('\n').filter((file) => file !== '' && !NOT_CHECKED.test(file));
}

function findingsIn(file: string): Finding[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [
    ...textsIn(file, source).flatMap((text) => [...turnsIn(file, text), ...longSentences(file, text)]),
    ...outsideWords(file, source),
  ];
}

function textsIn(file: string, source: string): Text[] {
  if (file.endsWith('.md')) return textsOfMarkdown(source);
  return /\.ya?ml$/.test(file) ? textsOfYaml(source) : textsOfSource(file, source);
}

function turnsIn(file: string, { kind, text, line }: Text): Finding[] {
  const isShown = SHOWN.test(file) && !file.includes('.test.') && kind !== 'comment';
  const turns = isShown ? ALL_TURNS : TURNS;
  return turns
    .filter(({ id }) => id !== 'B3' || !OF_THE_API.test(file))
    .flatMap(({ id, pattern }) =>
      [...text.matchAll(pattern)].map(({ index }) => ({
        rule: id,
        file,
        line,
        says: text.slice(Math.max(0, index - 40), index + 60),
      })),
    );
}

function longSentences(file: string, { kind, text, line }: Text): Finding[] {
  if (kind !== 'comment') return [];
  return text
    .split(/(?<=[.!?])\s+(?=[A-Z\d`"'(…])/)
    .filter((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > MOST_WORDS)
    .map((says) => ({ rule: 'C1', file, line, says }));
}

function outsideWords(file: string, source: string): Finding[] {
  if (!OF_PAGES.test(file)) return [];
  return textsOutsideWords(file, source).map(({ text, line }) => ({ rule: 'D1', file, line, says: text }));
}

function printFindings(findings: readonly Finding[], wanted: string): void {
  const of = wanted === 'all' ? findings : findings.filter(({ rule }) => rule === wanted);
  for (const { rule, file, line, says } of of) console.log(`${file}:${line}: ${rule}: ${says}`);
  console.log(`${of.length} found`);
}

function compare(now: Record<string, number>, left: Record<string, number>): void {
  const more = Object.entries(now).filter(([rule, count]) => count > (left[rule] ?? 0));
  if (more.length === 0) return;
  for (const [rule, count] of more) {
    const instead =
      ALL_TURNS.find(({ id }) => id === rule)?.instead ??
      (rule === 'D1'
        ? 'texts of the dashboard in a words module'
        : `at most ${MOST_WORDS} words in a sentence`);
    console.error(`${rule}: found ${count}, but only ${left[rule] ?? 0} are allowed. Write ${instead}.`);
  }
  refuse(`Find them with: npm run check:words -- --list ${more[0]?.[0]}`);
}
