import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../src/program.ts';
import {
  cleanEnvironment,
  freshDirectory,
  permitry,
  spawnPermitry,
  systemPath,
} from './fixtures/permitry.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Every command without subcommands, by the words that name it. */
function commandsOf(parent: Command, words: string[] = []): string[][] {
  if (parent.commands.length === 0) return [words];
  return parent.commands.flatMap((command) => commandsOf(command, [...words, command.name()]));
}
/** Includes commands that only have subcommands, and the program itself. */
function pagesOf(parent: Command, words: string[] = []): string[][] {
  return [words, ...parent.commands.flatMap((command) => pagesOf(command, [...words, command.name()]))];
}
const PAGES = pagesOf(createProgram()).map((words) => [words.join(' ')]);
const COMMANDS = commandsOf(createProgram()).map((words) => [words.join(' ')]);
/** Their stdout belongs to the program that started them, in its own format. */
const FOR_PROGRAMS = ['mcp wrap', 'hook claude-code'];
const FOR_PEOPLE = COMMANDS.filter(([words = '']) => !FOR_PROGRAMS.includes(words));

async function helpOf(words: readonly string[]): Promise<string> {
  let text = '';
  const capture = (command: Command): void => {
    command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
    for (const sub of command.commands) capture(sub);
  };
  const program = createProgram();
  capture(program);
  await program.parseAsync([...words, '--help'], { from: 'user' }).catch((ended: unknown) => {
    if (!(ended instanceof CommanderError) || ended.exitCode !== 0) throw ended;
  });
  return text;
}

describe('permitry', () => {
  test('has the documented commands', () => {
    expect(COMMANDS.flat()).toEqual(
      expect.arrayContaining([
        'serve',
        'init',
        'audit export',
        'audit verify',
        'keys list',
        'keys create',
        'keys revoke',
        'project add',
        'project list',
        'policy check',
        'policy put',
      ]),
    );
  });

  test.each(FOR_PEOPLE)('%s has --json', async (words) => {
    expect(await helpOf(words.split(' '))).toContain('--json');
  });

  test.each(PAGES)('permitry %s --help has an example, within 80 columns', async (words) => {
    const help = await helpOf(words.split(' ').filter(Boolean));
    expect(help).toMatch(/Examples?:\n {2}\$ permitry /);
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test.each([
    [['--version'], 0, 'stdout', /^\d+\.\d+\.\d+\n$/],
    [['--help'], 0, 'stdout', /Exit codes/],
    [['help', 'keys'], 0, 'stdout', /create/],
    [[], 2, 'stderr', /Usage: permitry/],
    [['sevre'], 2, 'stderr', /Did you mean serve\?/],
    [['bogus'], 2, 'stderr', /^error: unknown command 'bogus'\n$/],
    [['polciy'], 2, 'stderr', /Did you mean policy\?/],
    [['keys', 'lst'], 2, 'stderr', /Did you mean list\?/],
    [['keys', 'list', '--projct', 'x'], 2, 'stderr', /Did you mean --project\?/],
    [['keys', 'list', 'surplus'], 2, 'stderr', /too many arguments/],
  ] as const)('permitry %s ends with %i', async (args, code, stream, words) => {
    const finished = await spawnPermitry(args);
    expect(finished.code).toBe(code);
    expect(finished[stream]).toMatch(words);
  });

  test('prints an error in one line, and its stack only on request', async () => {
    const args = ['keys', 'list', '--data', freshDirectory()];
    expect((await spawnPermitry(args)).stderr.trimEnd().split('\n')).toHaveLength(1);
    const verbose = await spawnPermitry(args, { env: { PERMITRY_LOG_LEVEL: 'debug' } });
    expect(verbose.stderr).toContain('    at ');
  });

  test.each([
    [['keys', 'list', '--data', '/nowhere'], 2, 'no_gate', /There is no gate in \/nowhere/],
    [['sevre'], 2, 'usage', /unknown command 'sevre' \(Did you mean serve\?\)/],
    [['bogus'], 2, 'usage', /^unknown command 'bogus'$/],
    [[], 2, 'usage', /command is missing|unknown option/],
    [['serve', '--port', 'x'], 2, 'usage', /--port must be/],
    [['init', '--mode', 'test', '--data', '/dev/null'], 2, 'usage', /Cannot use/],
  ] as const)('prints a failure as JSON on stderr with --json: %j', async (args, code, errorCode, words) => {
    const finished = await permitry([...args, '--json']);
    expect(finished).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(finished.stderr)).toEqual({
      error: { code: errorCode, message: expect.stringMatching(words) },
    });
  });

  test('prints no colours in a pipe', async () => {
    const { stderr } = await spawnPermitry(['keys', 'list', '--data', freshDirectory()]);
    expect(stderr).not.toContain('\u001b');
  });

  test('works as npx permitry in the repository, with any Node of the system', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'permitry', '--help'], {
      cwd: ROOT,
      env: cleanEnvironment({ PATH: systemPath() }),
    });
    expect(stdout).toContain('Usage: permitry');
  });
});
