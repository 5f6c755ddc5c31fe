/**
 * A program that writes a file and is killed after the step with the given number. With 0 it finishes. After each step
 * it prints the folder's contents and their modes.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';

const [path = '', operation = '', killAfter = '0'] = process.argv.slice(2);
const print = fs.writeSync.bind(fs);
let steps = 0;

// Only the requested mode keeps other users out.
process.umask(0);

function endStep(name: string): void {
  steps += 1;
  const files = fs.readdirSync(dirname(path)).map((file) => {
    const { mode } = fs.statSync(join(dirname(path), file));
    return { file, mode: (mode & 0o777).toString(8) };
  });
  print(1, `${JSON.stringify({ step: name, files })}\n`);
  if (steps === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
}

const { writeFileSync, openSync, fsyncSync, closeSync, renameSync, linkSync, rmSync } = fs;
/** Writes the text in two halves, as an operating system may. */
fs.writeFileSync = (file, text) => {
  const half = String(text).length / 2;
  writeFileSync(file, String(text).slice(0, half));
  endStep('half of the text written');
  writeFileSync(file, String(text).slice(half));
  endStep('all of the text written');
};
for (const [name, real] of Object.entries({ openSync, fsyncSync, closeSync, renameSync, linkSync, rmSync })) {
  const followed = (...given: unknown[]) => {
    const answer = Reflect.apply(real, fs, given);
    endStep(name);
    return answer;
  };
  Object.assign(fs, { [name]: followed });
}
syncBuiltinESMExports();

const { createWholeFile, writeWholeFile } = await import('../../src/files/whole-file.ts');
if (operation === 'create') createWholeFile(path, 'the new text');
else writeWholeFile(path, 'the new text');
