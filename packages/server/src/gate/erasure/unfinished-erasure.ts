/** Owns the list of erasures whose texts the database files may still contain. */

import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ForgetOptions, Storage } from '../kernel/storage.ts';

/**
 * The subject of an erasure in a project. `subjectId` is null for an erasure by age, and for a person without an
 * account.
 */
export interface ErasureSubject {
  projectId: string;
  subject: 'intent' | 'person' | 'age';
  subjectId: string | null;
}

/** One row per subject, however often its texts were erased. */
export interface UnfinishedErasure extends ErasureSubject {
  /** When the subject's first text was erased. */
  since: Instant;
  /** Changes whenever more texts are erased. */
  mark: string;
}

/**
 * `cleared`: the files contain none of the erased texts. `pending`: they may, until an operator finishes the erasure.
 */
export type FilesState = 'cleared' | 'pending';

export interface UnfinishedErasureReader {
  hasUnfinishedErasures(projectId: string): Promise<boolean>;
  /** Oldest first. */
  listUnfinishedErasures(): Promise<readonly UnfinishedErasure[]>;
  /** `oldestSince` is null when the list is empty. */
  measureUnfinishedErasures(): Promise<{ count: number; oldestSince: Instant | null }>;
}

export interface UnfinishedErasureWriter {
  /** Leaves `since` unchanged when the list already has the subject. */
  saveUnfinishedErasure(erasure: UnfinishedErasure): Promise<void>;
  /** Guard: nothing more was erased since the row was read. */
  deleteUnfinishedErasure(erasure: UnfinishedErasure): Promise<void>;
}

type ErasureStorage = Storage<UnfinishedErasureReader, UnfinishedErasureWriter>;

/** Call it in each transaction that erases texts. An earlier rewrite of the files does not cover them. */
export async function markUnfinished(
  gate: { clock: Clock; ids: Ids },
  tx: UnfinishedErasureWriter,
  subject: ErasureSubject,
): Promise<void> {
  await tx.saveUnfinishedErasure({ ...subject, since: gate.clock.now(), mark: gate.ids.salt() });
}

/**
 * Removes erased texts from the files, and the finished erasures from the list.
 *
 * @returns how many erasures were finished
 * @throws GateError as `Storage.forget`; then the list stays as it is
 */
export async function finishErasures(
  { storage }: { storage: ErasureStorage },
  options?: ForgetOptions,
): Promise<number> {
  // Reads the list first, because the rewrite may miss texts that are erased during it.
  const unfinished = await storage.read.listUnfinishedErasures();
  if (unfinished.length === 0 || !(await storage.forget(options))) return 0;
  await storage.transaction(async (tx) => {
    for (const erasure of unfinished) await tx.deleteUnfinishedErasure(erasure);
  });
  return unfinished.length;
}

/**
 * Call it at the end of an erasure. Finishes as much as possible without making requests wait, and returns the state of
 * the project's texts.
 */
export async function settleFiles(
  { storage }: { storage: ErasureStorage },
  projectId: string,
): Promise<FilesState> {
  await finishErasures({ storage });
  return (await storage.read.hasUnfinishedErasures(projectId)) ? 'pending' : 'cleared';
}
