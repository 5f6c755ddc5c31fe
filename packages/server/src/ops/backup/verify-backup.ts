import { tmpdir } from 'node:os';
import { type CheckedProject, type ContentExpectations, checkContents } from './check-contents.ts';
import { type UnpackedArchive, type UnpackOptions, unpackArchive } from './read-archive.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type BackupExpectations = Omit<UnpackOptions, 'into' | 'onProgress'> & Partial<ContentExpectations>;

export interface VerifiedBackup extends UnpackedArchive {
  projects: readonly CheckedProject[];
}

/**
 * Checks everything that a restore checks before it makes a gate. Uses a temporary folder (`TMPDIR`) and removes it.
 * @throws BackupError that says what is wrong
 */
export async function verifyBackup(file: string, expected: BackupExpectations = {}): Promise<VerifiedBackup> {
  const { onProgress = () => {} } = expected;
  const folder = makeTemporaryFolder(tmpdir(), 'permitry-verify');
  try {
    const unpacked = await unpackArchive(file, { ...expected, onProgress, into: folder.path });
    return {
      ...unpacked,
      projects: await checkContents(folder.path, unpacked.manifest, { ...expected, onProgress }),
    };
  } finally {
    folder.remove();
  }
}
