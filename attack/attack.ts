/** `npm run attack`: tries forbidden things against a running gate, over HTTP only. See docs/security.md. */
import { writeFileSync } from 'node:fs';
import { isRunnable } from './attack-case.ts';
import { type Command, HELP, parseCommandLine } from './command-line.ts';
import { readKeysFile } from './keys-file.ts';
import { describeNeed } from './range/needs.ts';
import { htmlReport } from './report/html.ts';
import { markdownReport } from './report/markdown.ts';
import { resultLine, terminalSummary } from './report/terminal.ts';
import { type AttackReport, runAttacks, selectCases } from './run-attacks.ts';
import { UsageError } from './usage-error.ts';

// `npm run attack -- … | head` closes the pipe early. The run continues without output, because it has to clean up.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function main(args: readonly string[]): Promise<number> {
  const command = parseCommandLine(args);
  switch (command.kind) {
    case 'help':
      say(HELP);
      return 0;
    case 'list':
      list(command);
      return 0;
    case 'prepare':
      await prepare(command.directory);
      return 0;
    case 'attack':
      return attack(command);
  }
}

function list({ only, json }: Extract<Command, { kind: 'list' }>): void {
  const cases = selectCases(only).map((entry) => {
    const { id, title, threats, aisvs, attack: what, expected } = entry;
    const takes = isRunnable(entry) ? entry.needs.map(describeNeed) : [];
    return {
      id,
      title,
      threats,
      aisvs,
      attack: what,
      expected,
      takes,
      ...(isRunnable(entry) ? {} : { not_run: entry.why }),
    };
  });
  if (json) {
    say(JSON.stringify(cases, null, 2));
    return;
  }
  for (const { id, title, threats, aisvs, attack: what, expected, takes, not_run } of cases) {
    say(
      `${id}  ${title}\n  threat ${threats.join(', ')}${aisvs.length > 0 ? `; AISVS ${aisvs.join(', ')}` : ''}`,
    );
    say(`  ${what}\n  ${expected}`);
    say(not_run === undefined ? `  takes ${takes.join('; ') || 'nothing'}\n` : `  not run: ${not_run}\n`);
  }
}

async function prepare(directory: string): Promise<void> {
  // The only part of this command that opens a gate instead of calling one.
  const { prepareGate } = await import('./prepare-gate.ts');
  const keys = await prepareGate(directory);
  say(`A gate to attack is in ${directory}: two projects in live mode, one in test mode, people of every role.
Their tokens are good for twelve hours. Start it, and attack it from another terminal:

  npx permitry serve --data ${directory}
  npm run attack -- --target http://localhost:8787 --keys ${keys}
`);
}

async function attack(command: Extract<Command, { kind: 'attack' }>): Promise<number> {
  const projects = readKeysFile(command.keysFile);
  const interrupted = new AbortController();
  const interrupt = (): void => {
    process.stderr.write('Removing what was created. Press Ctrl+C again to leave it.\n');
    interrupted.abort();
    process.once('SIGINT', () => process.exit(130));
  };
  process.once('SIGINT', interrupt);
  const report = await runAttacks({
    target: command.target,
    projects,
    ...(command.only === undefined ? {} : { only: command.only }),
    destructive: command.destructive,
    quick: command.quick,
    signal: interrupted.signal,
    onResult: (result, done, of) => {
      if (!command.json) say(resultLine(result, done, of));
    },
    onWait: (seconds) => {
      process.stderr.write(`The gate asks for patience (429); waiting ${seconds} s.\n`);
    },
  });
  process.off('SIGINT', interrupt);
  say(command.json ? JSON.stringify(report, null, 2) : `\n${terminalSummary(report)}`);
  for (const file of command.reports) {
    writeReport(file, report);
    if (!command.json) say(`Report: ${file}`);
  }
  if (interrupted.signal.aborted) return 130;
  return report.results.some(({ status }) => status === 'FAIL') ? 1 : 0;
}

function writeReport(file: string, report: AttackReport): void {
  const text = file.endsWith('.md')
    ? markdownReport(report)
    : file.endsWith('.html')
      ? htmlReport(report)
      : `${JSON.stringify(report, null, 2)}\n`;
  writeFileSync(file, text);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
