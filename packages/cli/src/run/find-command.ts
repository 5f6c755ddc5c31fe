import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

const EXTENSIONS =
  process.platform === 'win32' ? (process.env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';') : [''];

/** Whether a command of this name or path exists, and could be started. */
export function findCommand(name: string): 'found' | 'not_executable' | 'not_found' {
  if (name === '') return 'not_found';
  const folders = name.includes('/') || name.includes(sep) ? [''] : (process.env.PATH ?? '').split(delimiter);
  const files = folders
    .flatMap((folder) =>
      ['', ...EXTENSIONS].map((extension) => (folder === '' ? name : join(folder, name)) + extension),
    )
    .filter(isFile);
  if (files.some(isExecutable)) return 'found';
  return files.length > 0 ? 'not_executable' : 'not_found';
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
