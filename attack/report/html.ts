import { AISVS_VERSION } from '../aisvs.ts';
import type { AttackReport, CaseResult } from '../run-attacks.ts';
import { countStatuses, type Row, summariseRequirements, summariseThreats } from './summarise.ts';

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;vertical-align:top;border-bottom:1px solid #8886;padding:.3rem .6rem}
code,pre{font-family:ui-monospace,monospace;font-size:.875em}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8886;padding:.75rem}
.FAIL,.FAILED{color:#c22;font-weight:700}.PASS,.defended{color:#18803d}.dim{opacity:.7}`;

/** The whole report as one page, without scripts and without any resource to load. */
export function htmlReport(report: AttackReport): string {
  const { results } = report;
  const counts = countStatuses(results);
  const failures = results.filter(({ status }) => status === 'FAIL');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Attack report: ${text(report.target)}</title><style>${STYLE}</style></head>
<body>
<h1>Attack report</h1>
<p>${text(report.target)}, ${text(report.started_at)}: <strong>${counts.PASS} passed, ${counts.FAIL} failed</strong>, ${counts['NOT RUN']} not run, ${counts.REPORTED} reported; ${report.requests} requests in ${report.seconds.toFixed(1)} s.</p>
${failures.length > 0 ? `<h2>Failures</h2>${failures.map(failureSection).join('')}` : ''}
<h2>By threat</h2>
<table><tr><th>#<th>threat<th>verdict<th>passed<th>failed<th>not run</tr>
${summariseThreats(results)
  .map((row) => `<tr>${cells(row)}</tr>`)
  .join('\n')}
</table>
<h2>By requirement</h2>
<p>${text(AISVS_VERSION)}, in our own words.</p>
<table><tr><th>#<th>requirement<th>verdict<th>passed<th>failed<th>not run<th>the gate’s part</tr>
${summariseRequirements(results)
  .map((row) => `<tr>${cells(row)}<td class="dim">${text(row.note)}</tr>`)
  .join('\n')}
</table>
<h2>Cases</h2>
<table><tr><th>case<th>status<th>attack<th>expected<th></tr>
${results.map(caseRow).join('\n')}
</table>
${report.left_behind.length > 0 ? `<h2>Left behind</h2><ul>${report.left_behind.map((line) => `<li>${text(line)}`).join('')}</ul>` : ''}
</body></html>
`;
}

function cells({ id, text: what, verdict, counts }: Row): string {
  return `<td>${id}<td>${text(what)}<td class="${text(verdict)}">${text(verdict)}<td>${counts.PASS}<td>${counts.FAIL}<td>${counts['NOT RUN']}`;
}

function caseRow({ id, status, title, attack, expected, why, note }: CaseResult): string {
  return `<tr><td><code>${id}</code><br>${text(title)}<td class="${status}">${status}<td>${text(attack)}<td>${text(expected)}<td class="dim">${text((status === 'NOT RUN' ? why : note) ?? '')}</tr>`;
}

function failureSection({ id, title, attack, expected, why, exchange }: CaseResult): string {
  const shown = exchange
    ? `<pre>${text(`${exchange.method} ${exchange.path}   by ${exchange.who}\n${exchange.request}\n\n${exchange.status}\n${exchange.answer}`)}</pre>`
    : '';
  return `<h3>${id}: ${text(title)}</h3><p>${text(attack)}<br>Expected: ${text(expected)}<br><span class="FAIL">Instead: ${text(why ?? '')}</span></p>${shown}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
