/** What `permitry backup`, `restore`, `move`, `migrate` and `serve --check` call. */
export { adoptCopy } from './ops/backup/adopt-copy.ts';
export { adoptComplete, adoptDatabase } from './ops/backup/adopt-database.ts';
export { BackupError, type BackupRefusal } from './ops/backup/backup-error.ts';
export { type BackupKey, generateBackupKey, parseBackupKey } from './ops/backup/backup-key.ts';
export type { CheckedProject } from './ops/backup/check-contents.ts';
export { createBackup } from './ops/backup/create-backup.ts';
export type { Manifest } from './ops/backup/manifest.ts';
export type { OnProgress } from './ops/backup/progress.ts';
export { type Restored, restoreBackup } from './ops/backup/restore-backup.ts';
export type { Adopted } from './ops/backup/take-over.ts';
export { type BackupExpectations, verifyBackup } from './ops/backup/verify-backup.ts';
export { checkGate, type Finding } from './ops/check/check-gate.ts';
export { MoveError, moveGate, readMovedMark, undoMove } from './ops/move/move.ts';
export { findNewerSchema, readSchemaStatus, updateSchema } from './storage/postgres/schema.ts';
