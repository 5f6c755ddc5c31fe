/** The output for people: a line for each finished case, then tables, then all details of the failures. */
import { styleText } from 'node:util';
import { AISVS_VERSION } from '../aisvs.ts';
import type { AttackReport, CaseResult, Status } from '../run-attacks.ts';
import {
  countStatuses,
  type RequirementRow,
  type Row,
  summariseRequirements,
  summariseThreats,
  type Verdict,
} from './summarise.ts';

type Paint = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** In colour only if stdout is a terminal and NO_COLOR is not set. */
function paint(style: Paint, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

const STATUS_PAINT: Record<Status, Paint> = {
  PASS: 'green',
  FAIL: 'red',
  'NOT RUN': 'yellow',
  REPORTED: 'cyan',
};
const VERDICT_PAINT: Record<Verdict, Paint> = {
  defended: 'green',
  'defended where tried': 'green',
  FAILED: 'red',
  'not tried': 'yellow',
  'not the gate’s': 'dim',
};
const WIDEST_ID = 22;

export function resultLine(
  { id, status, title, milliseconds, why, note }: CaseResult,
  done: number,
  of: number,
): string {
  const progress = paint('dim', `${String(done).padStart(String(of).length)}/${of}`);
  const time = milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(1)} s` : `${milliseconds} ms`;
  const more = status === 'NOT RUN' ? why : [note, time].filter(Boolean).join(', ');
  const head = `${progress} ${paint(STATUS_PAINT[status], status.padEnd(8))} ${id.padEnd(WIDEST_ID)} ${title} ${paint('dim', `(${firstLine(more)})`)}`;
  return status === 'FAIL' ? `${head}\n${' '.repeat(10)}${paint('red', firstLine(why))}` : head;
}

function firstLine(text: string | undefined): string {
  return (text ?? '').split('\n')[0] ?? '';
}

function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => ({ row, counted: row.verdict === 'not the gate’s' ? '' : countsOf(row) }));
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));
  const idWidth = widest(rows.map(({ id }) => id));
  const verdictWidth = widest(rows.map(({ verdict }) => verdict));
  const countWidth = widest(lines.map(({ counted }) => counted));
  return lines
    .map(({ row: { id, verdict, text }, counted }) =>
      [
        `  ${id.padEnd(idWidth)}`,
        paint(VERDICT_PAINT[verdict], verdict.padEnd(verdictWidth)),
        paint('dim', counted.padEnd(countWidth)),
        text,
      ].join('  '),
    )
    .join('\n');
}

function countsOf({ counts }: Row): string {
  const said = [
    [counts.PASS, 'passed'],
    [counts.FAIL, 'failed'],
    [counts['NOT RUN'], 'not run'],
    [counts.REPORTED, 'reported'],
  ] as const;
  return said.flatMap(([count, what]) => (count > 0 ? `${count} ${what}` : [])).join(', ');
}

export function terminalSummary(report: AttackReport): string {
  const { results } = report;
  const counts = countStatuses(results);
  const failures = results.filter(({ status }) => status === 'FAIL');
  const parts = [
    paint('bold', 'By threat'),
    table(summariseThreats(results).filter(isTouched)),
    '',
    paint('bold', `By requirement of ${AISVS_VERSION}`),
    table(
      shownRequirements(results).map((row) =>
        row.whose === 'part' ? { ...row, text: `${row.text} (in part)` } : row,
      ),
    ),
    ...failures.map(failureText),
    ...(report.left_behind.length > 0
      ? [
          '',
          paint('yellow', 'Left behind, remove it by hand:'),
          ...report.left_behind.map((line) => `  ${line}`),
        ]
      : []),
    '',
    `${paint(counts.FAIL > 0 ? 'red' : 'green', `${counts.PASS} passed, ${counts.FAIL} failed`)}, ${counts['NOT RUN']} not run, ${counts.REPORTED} reported; ${report.requests} requests in ${report.seconds.toFixed(1)} s`,
    '',
  ];
  return parts.join('\n');
}

function isTouched({ counts }: Row): boolean {
  return Object.values(counts).some((count) => count > 0);
}

/** Requirements outside the gate's part are listed only for a whole run. */
function shownRequirements(results: readonly CaseResult[]): readonly RequirementRow[] {
  const rows = summariseRequirements(results);
  const isWhole = rows.every((row) => row.whose === 'elsewhere' || isTouched(row));
  return isWhole ? rows : rows.filter(isTouched);
}

function failureText({ id, title, attack, expected, why, exchange }: CaseResult): string {
  const lines = [
    '',
    paint('red', `FAIL ${id}: ${title}`),
    `  attack    ${attack}`,
    `  expected  ${expected}`,
    `  instead   ${why}`,
  ];
  if (exchange)
    lines.push(
      `  request   ${exchange.method} ${exchange.path}   by ${exchange.who}`,
      ...(exchange.request === '' ? [] : [`            ${exchange.request}`]),
      `  answer    ${exchange.status} ${exchange.answer}`,
    );
  return lines.join('\n');
}
