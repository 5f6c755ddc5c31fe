import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { readTarHeader, readTarPadding, type TarEntry, tarEnd, tarHeader, tarPadding } from './tar.ts';

const FILES: readonly [string, Buffer][] = [
  ['manifest.json', Buffer.from('{}\n')],
  ['permitry.sqlite', Buffer.alloc(512, 7)],
  ['keys/a-b_c.json', Buffer.alloc(1025, 9)],
  ['keys/empty.json', Buffer.alloc(0)],
];

function archiveOf(files: readonly (readonly [string, Buffer])[]): Buffer {
  const pieces = files.flatMap(([name, content]) => [
    tarHeader({ name, bytes: content.length }, 1_795_000_000),
    content,
    tarPadding(content.length),
  ]);
  return Buffer.concat([...pieces, tarEnd()]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(bytes: Buffer, size = 100): Promise<[string, Buffer][]> {
  const input = new ByteReader(inPieces(bytes, size));
  const files: [string, Buffer][] = [];
  for (let entry: TarEntry | undefined; ; ) {
    entry = await readTarHeader(input);
    if (!entry) return files;
    files.push([entry.name, await input.read(entry.bytes)]);
    await readTarPadding(input, entry.bytes);
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'permitry-tar-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const hasTar = spawnSync('tar', ['--version']).error === undefined;

it.each([1, 100, 511, 512, 513, 100_000])(
  'an archive is read as it was written, whatever the size of its pieces (%i bytes)',
  async (size) => {
    expect(await readAll(archiveOf(FILES), size)).toEqual(FILES);
  },
);

it.skipIf(!hasTar)('tar unpacks a written archive into files that only their owner can read', () => {
  const path = folder();
  writeFileSync(join(path, 'a.tar'), archiveOf(FILES));
  execFileSync('tar', ['-xf', 'a.tar'], { cwd: path });
  for (const [name, content] of FILES) {
    expect(readFileSync(join(path, name)).equals(content)).toBe(true);
    expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
  }
});

it.skipIf(!hasTar)(
  'sizes beyond eight gigabytes are written as GNU tar writes them, and read back',
  async () => {
    const path = folder();
    const bytes = 20 * 2 ** 30 + 5;
    const header = tarHeader({ name: 'permitry.sqlite', bytes }, 1_795_000_000);
    expect(await readTarHeader(new ByteReader(inPieces(header, 512)))).toEqual({
      name: 'permitry.sqlite',
      bytes,
    });
    writeFileSync(join(path, 'a.tar'), header);
    // tar names the file first, and then reports that its content is missing.
    const { stdout } = spawnSync('tar', ['-tvf', 'a.tar'], { cwd: path, encoding: 'utf8' });
    expect(stdout).toContain(String(bytes));
  },
);

it.skipIf(!hasTar)(
  'an archive that another tar made is refused, with files, links, folders, or names that lead elsewhere',
  async () => {
    const path = folder();
    writeFileSync(join(path, 'file'), 'text');
    execFileSync('ln', ['-s', '/etc/passwd', join(path, 'link')]);
    for (const args of [['file'], ['link'], ['.'], ['--transform', 's,^,../,', '-P', 'file']]) {
      execFileSync('tar', ['-cf', 'other.tar', ...args], { cwd: path, stdio: 'ignore' });
      await expect(readAll(readFileSync(join(path, 'other.tar')))).rejects.toThrow('header of the archive');
    }
  },
);

it('an archive is refused when it is altered in any byte of a header, cut off anywhere, or longer than its end', async () => {
  const archive = archiveOf([['permitry.sqlite', Buffer.alloc(3, 1)]]);
  for (let at = 0; at < 512; at += 1) {
    const altered = Buffer.from(archive);
    altered[at] = (altered[at] ?? 0) ^ 0x01;
    await expect(readAll(altered)).rejects.toThrow();
  }
  for (const length of [0, 1, 511, 512, 514, 1023, 1024, 1536, archive.length - 1]) {
    await expect(readAll(archive.subarray(0, length))).rejects.toThrow();
  }
  await expect(readAll(Buffer.concat([archive, Buffer.alloc(1)]))).rejects.toThrow('after the end');
  const filled = Buffer.from(archive);
  filled[520] = 1;
  await expect(readAll(filled)).rejects.toThrow('between two files');
});
