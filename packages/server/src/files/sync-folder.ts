import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes files that were created, renamed or removed in the folder survive a power failure. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder, but it journals renames.
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
