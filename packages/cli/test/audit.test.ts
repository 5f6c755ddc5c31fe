import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { initialise, permitry, permitryJson, serve, spawnPermitry } from './fixtures/permitry.ts';

interface Verdict {
  valid: boolean;
  issuer: string;
  count: number;
  head: { seq: number; hash: string } | null;
  head_signed_by: string | null;
  after: { seq: number; hash: string } | null;
  first_bad?: { line: number; seq: number | null; id: string | null; problem: string; message: string };
}

let data: string;
let file: string;
/** A header, and one record for each change. */
let lines: string[];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'permitry-audit-'));
  data = join(folder, 'data');
  file = join(folder, 'audit.jsonl');
  await initialise(data);
  await permitryJson('agent', 'add', 'second-agent', '--data', data);
  await permitryJson('audit', 'export', '--data', data, '--out', file);
  lines = readFileSync(file, 'utf8').trimEnd().split('\n');
});

afterAll(() => rmSync(dirname(data), { recursive: true, force: true }));

async function verify(
  text: readonly string[] | string,
  ...flags: string[]
): Promise<Verdict & { code: number | null }> {
  const path = join(dirname(data), 'to-verify.jsonl');
  writeFileSync(path, typeof text === 'string' ? text : `${text.join('\n')}\n`);
  const { code, stdout } = await permitry(['audit', 'verify', path, '--json', ...flags]);
  return { ...(JSON.parse(stdout) as Verdict), code };
}

function record(line: number): { seq: number; id: string; hash: string } {
  return JSON.parse(lines[line - 1] ?? '');
}

describe('permitry audit export', () => {
  test('writes a file that only its user can read, with JSON on every line', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
    expect(record(lines.length)).toMatchObject({ seq: lines.length - 1, type: 'agent.registered' });
  });

  test('signs with the base URL that the gate was last served under, unless another one is set', async () => {
    const served = join(dirname(data), 'served');
    await initialise(served);
    const issuer = async () => {
      const { stdout } = await permitry(['audit', 'export', '--data', served]);
      const verdict = await verify(stdout);
      expect(verdict.valid).toBe(true);
      return verdict.issuer;
    };
    expect(await issuer()).toBe('http://localhost:8787');

    const first = await serve(served, '--base-url', 'https://gate.example.org');
    first.child.kill('SIGTERM');
    await first.ended;
    expect(await issuer()).toBe('https://gate.example.org');

    const { url, child, ended } = await serve(served);
    expect(await issuer()).toBe(url.replace('127.0.0.1', 'localhost'));
    child.kill('SIGTERM');
    await ended;
    const told = await spawnPermitry(['audit', 'export', '--data', served], {
      env: { PERMITRY_BASE_URL: 'https://other.example.org' },
    });
    expect((await verify(told.stdout)).issuer).toBe('https://other.example.org');
  });

  test('escapes control characters on a terminal, and keeps the records the same', async () => {
    const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
    Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
    onTestFinished(() => {
      if (before) Object.defineProperty(process.stdout, 'isTTY', before);
      else Reflect.deleteProperty(process.stdout, 'isTTY');
    });
    const { stdout } = await permitry(['audit', 'export', '--data', data]);
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
    expect((await verify(stdout)).valid).toBe(true);
  });

  test('writes the same records to stdout', async () => {
    const { stdout, code } = await permitry(['audit', 'export', '--data', data]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').slice(1, lines.length)).toEqual(lines.slice(1));
  });

  test('creates no file for an unknown project', async () => {
    const out = join(dirname(data), 'other.jsonl');
    const { code, stderr } = await permitry([
      'audit',
      'export',
      '--data',
      data,
      '--project',
      'nope',
      '--out',
      out,
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('There is no project "nope"');
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(dirname(data)).filter((name) => name.startsWith('other'))).toEqual([]);
  });

  test('reports a missing folder as a usage error', async () => {
    const out = join(data, 'no', 'such', 'a.jsonl');
    expect(await permitry(['audit', 'export', '--data', data, '--out', out])).toMatchObject({ code: 2 });
  });
});

describe('permitry audit export of a part', () => {
  async function part(...flags: string[]): Promise<string> {
    const out = join(dirname(data), 'part.jsonl');
    await permitryJson('audit', 'export', '--data', data, '--out', out, ...flags);
    return readFileSync(out, 'utf8');
  }

  test('verifies, and reports that the part begins in the middle', async () => {
    const text = await part('--from', '4', '--to', '6');
    expect(text.trimEnd().split('\n').slice(1)).toEqual(lines.slice(4, 6));
    const { prev_hash: hash } = JSON.parse(lines[4] ?? '');
    expect(await verify(text)).toMatchObject({ code: 0, count: 2, after: { seq: 3, hash } });
    const people = await spawnPermitry(['audit', 'verify', '-'], { stdin: text });
    expect(people.stdout).toContain(`begins in the middle, after 3:${hash}`);
    expect(people.stdout).toContain('not signed: the log goes on');
  });

  test('continues from the previous part, and a record missing between the two is found', async () => {
    const earlier = join(dirname(data), 'earlier.jsonl');
    writeFileSync(earlier, await part('--to', '4'));
    expect(await verify(await part('--from', '4'), '--since', earlier)).toMatchObject({ code: 0 });
    expect(await verify(await part('--from', '5'), '--since', earlier)).toMatchObject({
      code: 1,
      first_bad: { seq: 4, problem: 'missing_record' },
    });
    const cut = (await part('--from', '4')).split('\n').toSpliced(1, 1).join('\n');
    expect(await verify(cut, '--since', earlier)).toMatchObject({
      code: 1,
      first_bad: { line: 2, problem: 'missing_record' },
    });
  });

  test.each([
    ['a reversed range', '--from', '5', '--to', '4'],
    ['a start beyond the end', '--from', '100000'],
    ['what is neither a place nor a time', '--from', 'yesterday'],
  ])('reports %s as a usage error and writes no file', async (_, ...flags) => {
    const out = join(dirname(data), 'none.jsonl');
    const { code, stderr } = await permitry(['audit', 'export', '--data', data, '--out', out, ...flags]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/(from|to): Must/);
    expect(existsSync(out)).toBe(false);
  });
});

describe('permitry audit verify', () => {
  test('prints the head of a valid file in the form that --since takes', async () => {
    const { code, stdout } = await permitry(['audit', 'verify', file]);
    expect(code).toBe(0);
    expect(stdout).toContain(`${lines.length - 1} records`);
    const [head = ''] = /\d+:sha256:[0-9a-f]{64}/.exec(stdout) ?? [];
    expect(head).toBe(`${record(lines.length).seq}:${record(lines.length).hash}`);
    expect((await verify(lines, '--since', head)).valid).toBe(true);
  });

  test('names an altered record with its line, seq and ID', async () => {
    const altered = lines.with(3, (lines[3] ?? '').replace('"occurred_at":"20', '"occurred_at":"19'));
    const { id, seq } = record(4);
    expect(await verify(altered)).toMatchObject({
      code: 1,
      valid: false,
      count: 2,
      first_bad: { line: 4, seq, id, problem: 'content_altered' },
    });
    const people = await spawnPermitry(['audit', 'verify', '-'], { stdin: altered.join('\n') });
    expect(people.code).toBe(1);
    expect(people.stdout).toContain(`line 4, seq ${seq}, ${id}: content_altered`);
  });

  test('finds a removed record', async () => {
    const { id, seq } = record(6);
    expect(await verify(lines.toSpliced(4, 1))).toMatchObject({
      code: 1,
      first_bad: { line: 5, seq, id, problem: 'missing_record' },
    });
  });

  test('finds two swapped records', async () => {
    const [a = '', b = ''] = [lines[4], lines[5]];
    expect(await verify(lines.with(4, b).with(5, a))).toMatchObject({
      code: 1,
      first_bad: { line: 5, seq: record(6).seq },
    });
  });

  test('finds a file that was cut off', async () => {
    expect(await verify(lines.slice(0, -1))).toMatchObject({
      code: 1,
      first_bad: { problem: 'tail_missing' },
    });
  });

  test('refuses half a line, bytes that are not UTF-8, and an empty file', async () => {
    expect(await verify(lines.join('\n').slice(0, -20))).toMatchObject({
      code: 1,
      first_bad: { line: lines.length, problem: 'malformed_line' },
    });
    const bytes = Buffer.from(lines.join('\n'));
    bytes[bytes.indexOf('first-agent')] = 0xff;
    const damaged = join(dirname(data), 'damaged.jsonl');
    writeFileSync(damaged, bytes);
    const { code, stdout } = await permitry(['audit', 'verify', damaged, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).first_bad.problem).toBe('malformed_line');
    expect(await verify('')).toMatchObject({ code: 1, first_bad: { line: 1 }, head: null });
  });

  test('finds an old export in place of a newer one, by a head of the newer one', async () => {
    const earlier = lines;
    await permitryJson('agent', 'pause', 'second-agent', '--data', data);
    const since = join(dirname(data), 'later.jsonl');
    await permitryJson('audit', 'export', '--data', data, '--out', since);
    const later = readFileSync(since, 'utf8').trimEnd().split('\n');

    expect(await verify(earlier)).toMatchObject({ code: 0 });
    // The export itself, its signed head and SEQ:HASH give the same result.
    const jws = (JSON.parse(later[0] ?? '') as { head: string }).head;
    const last = JSON.parse(later.at(-1) ?? '') as { seq: number; hash: string };
    for (const head of [since, jws, `${last.seq}:${last.hash}`]) {
      expect(await verify(earlier, '--since', head)).toMatchObject({
        code: 1,
        first_bad: { problem: 'tail_missing' },
      });
      expect(await verify(later, '--since', head)).toMatchObject({ code: 0 });
    }
  });

  test('finds a rewritten history by a head of the original', async () => {
    const { seq, hash } = record(5);
    const other = `${seq}:${hash.replace(/.$/, (end) => (end === '0' ? '1' : '0'))}`;
    expect(await verify(lines, '--since', other)).toMatchObject({
      code: 1,
      first_bad: { seq, problem: 'history_rewritten' },
    });
  });

  test('accepts the head with keys saved elsewhere, and refuses it with keys of another gate', async () => {
    const keys = join(dirname(data), 'jwks.json');
    writeFileSync(keys, JSON.stringify((JSON.parse(lines[0] ?? '') as { jwks: object }).jwks));
    expect(await verify(lines, '--jwks', keys)).toMatchObject({ code: 0, head_signed_by: 'given_keys' });

    const other = join(dirname(data), 'another');
    await initialise(other);
    const { stdout } = await permitry(['audit', 'export', '--data', other]);
    expect(await verify(stdout, '--jwks', keys)).toMatchObject({
      code: 1,
      first_bad: { problem: 'head_invalid' },
    });
  });

  test.each([
    ['a missing file', () => ['nope.jsonl']],
    ['a folder', () => [data]],
    ['no file', () => []],
    ['a text that is not a head', () => [file, '--since', 'yesterday']],
    [
      'a file without a head',
      () => {
        const path = join(dirname(data), 'empty');
        writeFileSync(path, '{"head":{"kid":1}}');
        return [file, '--since', path];
      },
    ],
    ['a file without keys', () => [file, '--jwks', file]],
  ])('reports %s as a usage error', async (_, args) => {
    const { code, stdout, stderr } = await permitry(['audit', 'verify', ...args()]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  // Only Linux lists the files that a process has open.
  test.runIf(process.platform === 'linux').each([
    ['a folder', () => data],
    ['a sound export', () => file],
    [
      'an export whose first line is wrong',
      () => {
        const path = join(dirname(data), 'wrong-from-the-start.jsonl');
        writeFileSync(path, 'no header\n'.repeat(100_000));
        return path;
      },
    ],
  ])('%s is closed afterwards', async (_, pathOf) => {
    const path = pathOf();
    await permitry(['audit', 'verify', path]);
    // Waits only a second, because the garbage collector also closes files.
    await expect.poll(openFiles, { timeout: 1000 }).not.toContain(realpathSync(path));
  });
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(join('/proc/self/fd', name));
    } catch {
      return 'closed meanwhile';
    }
  });
}
