/** A gate, its backup, and the gate restored from it: two histories that diverge at the backup. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/gate/kernel/clock.ts';
import { startProject } from '../../src/gate/projects/stop-switch.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { type Backup, type BackupOptions, createBackup } from '../../src/ops/backup/create-backup.ts';
import { type Restored, type RestoreOptions, restoreBackup } from '../../src/ops/backup/restore-backup.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';

/** A path in a directory that is removed after the test. */
export function freshPath(name: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'permitry-backup-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, name);
}

export async function gateForTest(): Promise<TestGate> {
  const t = await openTestGate({ mode: 'test' });
  onTestFinished(() => t.close());
  return t;
}

export async function backUp(
  t: Pick<TestGate, 'dataDir' | 'clock'>,
  options: Partial<BackupOptions> = {},
): Promise<{ file: string; backup: Backup }> {
  const file = freshPath('gate.backup');
  const backup = await createBackup({
    dataDir: t.dataDir,
    file,
    baseUrl: 'http://localhost:4000',
    keysInClear: 'included',
    clock: t.clock,
    ...options,
  });
  return { file, backup };
}

export function withGateOn(clock: Clock): RestoreOptions['withGate'] {
  return async (there, work) => {
    const opened = await openGate({ database: { directory: there.dataDir }, issuer: there.issuer, clock });
    try {
      return await work(opened.gate);
    } finally {
      await opened.close();
    }
  };
}

export async function restore(
  file: string,
  clock: Clock,
  options: Partial<RestoreOptions> = {},
): Promise<{ dataDir: string; result: Restored }> {
  const dataDir = options.dataDir ?? freshPath('data');
  const result = await restoreBackup({
    file,
    dataDir,
    revokeKeys: false,
    operator: OPERATOR,
    withGate: withGateOn(clock),
    ...options,
  });
  return { dataDir, result };
}

/** Opens the gate in the directory and starts its projects again. */
export async function openRestored(dataDir: string, clock: Clock): Promise<OpenGate> {
  const opened = await openGate({
    database: { directory: dataDir },
    issuer: 'http://localhost:4000',
    clock,
    sealDelayMs: 5,
  });
  // The directory may already have been removed.
  onTestFinished(() => (existsSync(dataDir) ? opened.close() : undefined));
  for (const { id: projectId } of await opened.gate.storage.read.listProjects()) {
    await startProject(opened.gate, OPERATOR, { projectId });
  }
  return opened;
}
