/** The functions behind `permitry backup`, `restore`, `move`, `migrate` and `serve --check`. */

export { findNewerSchema, readSchemaStatus, updateSchema } from '../storage/postgres/schema.ts';
export { adoptCopy } from './backup/adopt-copy.ts';
export { adoptComplete, adoptDatabase } from './backup/adopt-database.ts';
export { BackupError, type BackupRefusal } from './backup/backup-error.ts';
export { type BackupKey, generateBackupKey, parseBackupKey } from './backup/backup-key.ts';
export type { CheckedProject } from './backup/check-contents.ts';
export { createBackup } from './backup/create-backup.ts';
export type { Manifest } from './backup/manifest.ts';
export type { OnProgress } from './backup/progress.ts';
export { type Restored, restoreBackup } from './backup/restore-backup.ts';
export type { Adopted } from './backup/take-over.ts';
export { type BackupExpectations, verifyBackup } from './backup/verify-backup.ts';
export { checkGate, type Finding } from './check/check-gate.ts';
export { MoveError, moveGate, readMovedMark, undoMove } from './move/move.ts';
