/**
 * Finds turns of phrase that read as a translation, comments with long sentences, and texts of the dashboard outside
 * its words modules: `npm run check:words`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags, refuse } from './read-flags.ts';
import { textsOutsideWords } from './words/outside.ts';
import { type Text, textsOfMarkdown, textsOfSource, textsOfYaml } from './words/texts.ts';
import { MOST_WORDS, TURNS, TURNS_SHOWN } from './words/turns.ts';

const ROOT = join(import.meta.dirname, '..');
/** Files that quote old words, describe the past, or are generated from checked files. */
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

const { values } = readFlags({ options: { help: { type: 'boolean', short: 'h' } } });

if (values.help) {
  console.log(
    'Usage: npm run check:words. It prints each finding: its place, its rule, and what to write instead.',
  );
} else {
  const findings = listFiles().flatMap(findingsIn);
  for (const { rule, file, line, says } of findings) {
    console.error(`${file}:${line}: ${rule}: ${says}\n  Write ${insteadOf(rule)}.`);
  }
  if (findings.length > 0) refuse(`${findings.length} found.`);
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

function insteadOf(rule: string): string {
  if (rule === 'C1') return `at most ${MOST_WORDS} words in a sentence`;
  if (rule === 'D1') return 'texts of the dashboard in a words module';
  return ALL_TURNS.find(({ id }) => id === rule)?.instead ?? 'something else';
}
