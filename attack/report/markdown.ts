import { AISVS_VERSION } from '../aisvs.ts';
import type { AttackReport, CaseResult } from '../run-attacks.ts';
import { countStatuses, type Row, summariseRequirements, summariseThreats } from './summarise.ts';

/** The whole report as a Markdown document. */
export function markdownReport(report: AttackReport): string {
  const { results } = report;
  const counts = countStatuses(results);
  const failures = results.filter(({ status }) => status === 'FAIL');
  return `# Attack report

${report.target}, ${report.started_at}: **${counts.PASS} passed, ${counts.FAIL} failed**, ${counts['NOT RUN']} not run, ${counts.REPORTED} reported; ${report.requests} requests in ${report.seconds.toFixed(1)} s.
${failures.length > 0 ? `\n## Failures\n${failures.map(failureSection).join('')}` : ''}
## By threat

| | threat | verdict | passed | failed | not run |
|---|---|---|---|---|---|
${summariseThreats(results).map(row).join('\n')}

## By requirement

${AISVS_VERSION}, in our own words.

| | requirement | verdict | passed | failed | not run | the gate’s part |
|---|---|---|---|---|---|---|
${summariseRequirements(results)
  .map((requirement) => `${row(requirement)} ${cell(requirement.note)} |`)
  .join('\n')}

## Cases

| case | status | attack | expected | |
|---|---|---|---|---|
${results.map(caseRow).join('\n')}
${report.left_behind.length > 0 ? `\n## Left behind\n\n${report.left_behind.map((line) => `* ${cell(line)}`).join('\n')}\n` : ''}`;
}

function row({ id, text, verdict, counts }: Row): string {
  return `| ${id} | ${cell(text)} | ${verdict} | ${counts.PASS} | ${counts.FAIL} | ${counts['NOT RUN']} |`;
}

function caseRow({ id, status, title, attack, expected, why, note }: CaseResult): string {
  return `| \`${id}\` ${cell(title)} | ${status} | ${cell(attack)} | ${cell(expected)} | ${cell((status === 'NOT RUN' ? why : note) ?? '')} |`;
}

function failureSection({ id, title, attack, expected, why, exchange }: CaseResult): string {
  const shown = exchange
    ? `\n\`\`\`\n${fenced(`${exchange.method} ${exchange.path}   by ${exchange.who}\n${exchange.request}\n\n${exchange.status}\n${exchange.answer}`)}\n\`\`\`\n`
    : '';
  return `\n### ${id}: ${title}\n\n* attack: ${cell(attack)}\n* expected: ${cell(expected)}\n* instead: ${cell(why ?? '')}\n${shown}`;
}

/** A response of a gate under attack may contain hostile text too. */
function cell(text: string): string {
  return text
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_|[\]]/g, '\\$&')
    .replaceAll(/\s+/g, ' ');
}

function fenced(text: string): string {
  return text.replaceAll('```', '` ` `');
}
