import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  BIN,
  finished,
  freshDirectory,
  initialise,
  permitry,
  permitryJson,
  spawnPermitry,
} from './fixtures/permitry.ts';

const SOUND = `name: default
default: { approvers: ["role:approver"], min_approvals: 1 }
rules:
  - name: staging is free
    match: { action: "deploy_*" }
    when: params.env == 'staging'
    effect: allow
`;

function fileOf(name: string, text: string): string {
  const path = join(dirname(freshDirectory()), name);
  writeFileSync(path, text);
  return path;
}

interface Problem {
  path: string;
  line: number;
  column: number;
  message: string;
}

async function problemsOf(name: string, text: string): Promise<Problem[]> {
  const { code, stdout } = await permitry(['policy', 'check', fileOf(name, text), '--json']);
  const answer = JSON.parse(stdout) as { valid: boolean; problems: Problem[] };
  expect({ code, valid: answer.valid }).toEqual({ code: 1, valid: false });
  return answer.problems;
}

describe('permitry policy check', () => {
  test('prints the same hash for a valid policy in YAML and in JSON', async () => {
    const yaml = await permitry(['policy', 'check', fileOf('p.yaml', SOUND), '--json']);
    const json = {
      rules: [
        {
          effect: 'allow',
          match: { action: 'deploy_*' },
          when: "params.env == 'staging'",
          name: 'staging is free',
        },
      ],
      name: 'default',
      default: { min_approvals: 1, approvers: ['role:approver'] },
    };
    const other = await spawnPermitry(['policy', 'check', '-', '--json'], { stdin: JSON.stringify(json) });
    expect(yaml.code).toBe(0);
    expect(JSON.parse(yaml.stdout)).toMatchObject({ valid: true, problems: [] });
    expect(JSON.parse(other.stdout).hash).toBe(JSON.parse(yaml.stdout).hash);
  });

  test('reports a wrong expression at its line and column, however it is written', async () => {
    const rule = (name: string, when: string) => `  - name: ${name}\n    when: ${when}\n    effect: deny\n`;
    const head = 'name: x\ndefault: { approvers: ["role:approver"] }\nrules:\n';
    const text = `${head}${rule('plain', 'params.env == stagin')}${rule('quoted', '"amont > 3"')}${rule('block', "|\n      params.env == 'x'\n        && amont > 3")}`;

    expect(await problemsOf('p.yaml', text)).toMatchObject([
      { path: '/rules/0/when', line: 5, column: 25 },
      { path: '/rules/1/when', line: 8, column: 12 },
      { path: '/rules/2/when', line: 13, column: 12 },
    ]);
  });

  test('reports all unknown and missing members at once, in a form that editors can open', async () => {
    const path = fileOf('p.yaml', SOUND.replace('effect: allow', 'effct: allow'));
    const { code, stdout } = await permitry(['policy', 'check', path]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${path}:7:12 error /rules/0/effct`);
    expect(stdout).toContain(`${path}:4:5 error /rules/0/effect`);
  });

  test.each([
    ['a name twice', '{\n  "name": "x",\n  "name": "y"\n}', { line: 3, column: 3 }],
    ['broken YAML', 'name: [\n', { line: 2, column: 1 }],
    ['a list', '[]', { line: 1, column: 1 }],
    ['nothing', '', { line: 1, column: 1 }],
    [
      'a number that two readers would read differently',
      'name: x\nrules: 9007199254740993\n',
      { line: 2, column: 8 },
    ],
    [
      'a number with more digits than a double can hold',
      'name: x\ndefault:\n  min_approvals: 1.00000000000000000001\n',
      { line: 3, column: 18 },
    ],
    ['a name with a meaning in JavaScript', 'name: x\n__proto__: 1\n', { line: 2 }],
    [
      'a file that expands without end',
      'a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]\n',
      {},
    ],
  ])('refuses %s', async (_, text, place) => {
    const [problem] = await problemsOf('p.json', text);
    expect(problem).toMatchObject(place);
  });

  test('prints nothing from a file that can control a terminal', async () => {
    const text = `${SOUND}    "ef\\e[2J\\u202efect": 1\n`;
    const { code, stdout } = await permitry(['policy', 'check', fileOf('hostile.yaml', text)]);
    expect(code).toBe(1);
    expect(stdout).toContain('\\u{1b}[2J\\u{202e}');
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  });

  test('waits for late data on stdin, also through a non-blocking pipe as npx passes it on', async () => {
    // A Node process that has read its own standard input leaves such a pipe to its children.
    const parent = `process.stdin; require('node:child_process')
      .spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' }).on('exit', (code) => process.exit(code))`;
    const child = spawn(process.execPath, ['-e', parent, BIN, 'policy', 'check', '-']);
    child.stdin.write(SOUND.slice(0, 20));
    setTimeout(() => child.stdin.end(SOUND.slice(20)), 1500);
    expect(await finished(child)).toMatchObject({ code: 0, stderr: '' });
  });

  test('tells a missing file from one that is not text', async () => {
    const missing = await permitry(['policy', 'check', '/nowhere/policy.yaml']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file') });
  });

  test('reports an unreadable file as a usage error', async () => {
    expect(await permitry(['policy', 'check', 'nope.yaml'])).toMatchObject({ code: 2, stdout: '' });
    expect(await permitry(['policy', 'check'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('permitry policy put', () => {
  test('publishes a policy and shows it', async () => {
    const data = freshDirectory();
    await initialise(data);
    const file = fileOf('p.yaml', SOUND);

    expect(await permitryJson('policy', 'put', file, '--data', data)).toMatchObject({ version: 2 });
    const shown = await permitryJson<{ policy: object; version: number }>('policy', 'show', '--data', data);
    expect(shown).toMatchObject({ version: 2, policy: { rules: [{ name: 'staging is free' }] } });
  });

  test('changes nothing for a policy that is wrong, names nobody or is based on an old version', async () => {
    const data = freshDirectory();
    await initialise(data);
    const put = (text: string, ...flags: string[]) =>
      permitry(['policy', 'put', fileOf('put.yaml', text), '--data', data, ...flags]);

    expect(await put(SOUND.replace('allow', 'alow'))).toMatchObject({ code: 1 });
    const unknown = await put(SOUND.replace('role:approver', 'treasury'));
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('treasury') });
    expect(await put(SOUND, '--if-match', 'sha256:00')).toMatchObject({ code: 1 });
    expect(await permitryJson('policy', 'show', '--data', data)).toMatchObject({ version: 1 });
  });
});
