/**
 * Checks that the unpacked contents are consistent: the database itself, and every project's chain up to its signed
 * head.
 */

import { join } from 'node:path';
import { type AuditHead, type PublicJwks, verifyAuditChain, verifyAuditHead } from '@permitry/protocol';
import type { AuditReader } from '../../gate/audit/audit-event.ts';
import { sealedRecords } from '../../gate/audit/sealed-records.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import { inspectDatabase } from '../../storage/sqlite/copy-database.ts';
import { openSqliteStorage } from '../../storage/sqlite/open-sqlite-storage.ts';
import { BackupError } from './backup-error.ts';
import { type BackedUpProject, DATABASE_NAME, type Manifest } from './manifest.ts';
import { type OnProgress, passing } from './progress.ts';
import { publicKeysIn, readKeyFiles } from './signing-key-files.ts';

export interface ContentExpectations {
  /** The gate's keys, saved earlier. Without them, the archive's own keys are trusted, which a forger can supply. */
  jwks?: PublicJwks | undefined;
  /** Heads saved earlier: signed, or as sequence number and hash. */
  since?: readonly (string | AuditHead)[] | undefined;
  onProgress: OnProgress;
}

export interface CheckedProject extends BackedUpProject {
  /** How many events the copy lacks up to the saved head. Null when no head was given for the project. */
  lacks: number | null;
}

/**
 * @param folder The folder that `unpackArchive` filled. Its database is migrated to the current schema.
 * @throws BackupError `damaged`, `newer`, `unexpected`
 */
export async function checkContents(
  folder: string,
  manifest: Manifest,
  { jwks, since = [], onProgress }: ContentExpectations,
): Promise<readonly CheckedProject[]> {
  await checkDatabase(join(folder, DATABASE_NAME), manifest);
  const keys = jwks ?? { keys: publicKeysIn(readKeyFiles(folder)) };
  const storage = await openSqliteStorage({ directory: folder });
  try {
    const saved = await Promise.all(since.map((head) => readSavedHead(head, manifest, keys)));
    await assertSameProjects(storage.read, manifest);
    const checked: CheckedProject[] = [];
    for (const project of manifest.projects) {
      await checkChain(storage.read, project, keys, onProgress);
      const lacking = await Promise.all(
        saved
          .filter(({ projectId }) => projectId === project.id)
          .map(({ head }) => countLacking(storage.read, project, head)),
      );
      checked.push({ ...project, lacks: lacking.length === 0 ? null : Math.max(...lacking) });
    }
    return checked;
  } finally {
    await storage.close();
  }
}

async function checkDatabase(file: string, manifest: Manifest): Promise<void> {
  const facts = await inspectDatabase(file).catch((cause: unknown) => {
    throw new BackupError('damaged', `The database in the backup cannot be used: ${messageOf(cause)}.`, {
      cause,
    });
  });
  if (facts.problems.length > 0)
    throw new BackupError('damaged', `The database in the backup is damaged: ${facts.problems[0]}.`);
  if (facts.schemaVersion !== manifest.schema_version)
    throw new BackupError('damaged', 'The database is not the one that the manifest describes.');
}

async function assertSameProjects(read: ProjectReader, manifest: Manifest): Promise<void> {
  const found = (await read.listProjects()).map(({ id, name }) => `${id} ${name}`);
  const listed = manifest.projects.map(({ id, name }) => `${id} ${name}`);
  if (found.join('\n') !== listed.join('\n'))
    throw new BackupError('damaged', 'The projects are not those that the manifest lists.');
}

async function checkChain(
  read: AuditReader,
  project: BackedUpProject,
  jwks: PublicJwks,
  onProgress: OnProgress,
): Promise<void> {
  const { id, name, seq, hash, head } = project;
  const stored = await read.findChainHead(id);
  if ((stored?.seq ?? 0) !== seq || (stored?.hash ?? null) !== hash || (stored?.jws ?? null) !== head) {
    throw new BackupError('damaged', `The audit log of ${name} does not end where the manifest says.`);
  }
  if (head === null || hash === null) return;
  const verified = await verifyAuditHead(head, { jwks });
  if (
    !verified.ok ||
    verified.claims.project !== id ||
    verified.claims.seq !== seq ||
    verified.claims.hash !== hash
  ) {
    throw new BackupError(
      'damaged',
      `The head of the audit log of ${name} is not signed by a known key of this gate.`,
    );
  }
  let done = 0;
  const records = passing(sealedRecords(read, id, seq), () => {
    done += 1;
    if (done % 1000 === 0) onProgress({ what: 'checking', done, total: seq });
  });
  const { firstBad } = await verifyAuditChain(records, { projectId: id, sinceHead: { seq, hash } });
  if (firstBad)
    throw new BackupError('damaged', `The audit log of ${name} does not verify: ${firstBad.message}`);
}

async function readSavedHead(
  saved: string | AuditHead,
  manifest: Manifest,
  jwks: PublicJwks,
): Promise<{ projectId: string; head: AuditHead }> {
  if (typeof saved !== 'string') {
    const [only, ...others] = manifest.projects;
    if (only && others.length === 0) return { projectId: only.id, head: saved };
    throw new BackupError(
      'unexpected',
      'The backup has several projects: give the signed head, which names its project.',
    );
  }
  const verified = await verifyAuditHead(saved, { jwks });
  if (!verified.ok) {
    throw new BackupError(
      'unexpected',
      'A given head is not signed by a key of this gate. If a later key signed it, after the backup, pass --jwks.',
    );
  }
  const { project: projectId, seq, hash } = verified.claims;
  if (!manifest.projects.some(({ id }) => id === projectId)) {
    throw new BackupError(
      'unexpected',
      `A given head is of the project ${projectId}, which the backup does not contain.`,
    );
  }
  return { projectId, head: { seq, hash } };
}

/** How far the saved head is ahead of the copy. If the copy reaches that head, it must contain it. */
async function countLacking(read: AuditReader, project: BackedUpProject, saved: AuditHead): Promise<number> {
  if (saved.seq > project.seq) return saved.seq - project.seq;
  if (saved.seq === 0) return 0;
  const [record] = await read.listSealedEvents({
    projectId: project.id,
    order: 'asc',
    afterSeq: saved.seq - 1,
    limit: 1,
  });
  if (record?.seq === saved.seq && record.hash === saved.hash) return 0;
  throw new BackupError(
    'unexpected',
    `The backup of ${project.name} has another history: its record ${saved.seq} does not match the given head.`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
