import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

const EXTENSIONS =
  process.platform === 'win32' ? (process.env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';') : [''];

/** Whether a command of this name would be found, in the PATH or by the path it is. */
export function findCommand(name: string): boolean {
  if (name === '') return false;
  const folders = name.includes('/') || name.includes(sep) ? [''] : (process.env.PATH ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) =>
    ['', ...EXTENSIONS].map((extension) => (folder === '' ? name : join(folder, name)) + extension),
  );
  return candidates.some(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
