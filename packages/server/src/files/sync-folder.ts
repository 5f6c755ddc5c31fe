import { closeSync, fsyncSync, openSync } from 'node:fs';

/** What was made, renamed or removed in the folder outlives a power failure from here on. */
export function syncFolder(folder: string): void {
  // A folder cannot be opened on Windows, where renames are journalled.
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
