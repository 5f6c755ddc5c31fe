/** What the command line may use of this room; loaded by its own door, `@permitry/server/backup`. */
export { adoptCopy } from './adopt-copy.ts';
export { adoptComplete, adoptDatabase } from './adopt-database.ts';
export { BackupError, type BackupRefusal } from './backup-error.ts';
export { type BackupKey, generateBackupKey, parseBackupKey } from './backup-key.ts';
export type { CheckedProject } from './check-contents.ts';
export { type Backup, type BackupOptions, createBackup } from './create-backup.ts';
export type { Manifest } from './manifest.ts';
export type { OnProgress, Progress } from './progress.ts';
export { type Restored, type RestoreOptions, restoreBackup } from './restore-backup.ts';
export type { Adopted } from './take-over.ts';
export { type BackupExpectations, type VerifiedBackup, verifyBackup } from './verify-backup.ts';
