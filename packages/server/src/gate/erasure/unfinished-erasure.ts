/** Owns what is known of erasures whose texts the files of the database may still hold. */

import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ForgetOptions, Storage } from '../kernel/storage.ts';

/** Whose texts go from a project; `subjectId` is null for what is erased by age, and for a person without an account. */
export interface ErasureSubject {
  projectId: string;
  subject: 'intent' | 'person' | 'age';
  subjectId: string | null;
}

/** One for each subject, however often its texts were erased. */
export interface UnfinishedErasure extends ErasureSubject {
  /** When its first text was erased. */
  since: Instant;
  /** Another one whenever texts were erased since. */
  mark: string;
}

/** `cleared`: the files hold none of the erased texts. `pending`: they may, until an operator finishes the erasure. */
export type FilesState = 'cleared' | 'pending';

export interface UnfinishedErasureReader {
  hasUnfinishedErasures(projectId: string): Promise<boolean>;
  /** Oldest first. */
  listUnfinishedErasures(): Promise<readonly UnfinishedErasure[]>;
  /** `oldestSince` is null where there is none. */
  measureUnfinishedErasures(): Promise<{ count: number; oldestSince: Instant | null }>;
}

export interface UnfinishedErasureWriter {
  /** `since` stays where the subject is listed already. */
  saveUnfinishedErasure(erasure: UnfinishedErasure): Promise<void>;
  /** Guard: nothing was erased since it was read. */
  deleteUnfinishedErasure(erasure: UnfinishedErasure): Promise<void>;
}

type ErasureStorage = Storage<UnfinishedErasureReader, UnfinishedErasureWriter>;

/** In each transaction that erases texts: a finish that ran before it does not count for them. */
export async function markUnfinished(
  gate: { clock: Clock; ids: Ids },
  tx: UnfinishedErasureWriter,
  subject: ErasureSubject,
): Promise<void> {
  await tx.saveUnfinishedErasure({ ...subject, since: gate.clock.now(), mark: gate.ids.salt() });
}

/**
 * Has erased texts leave the files, and takes the erasures that are finished by that off the list.
 *
 * @returns how many were finished
 * @throws GateError as `Storage.forget`; everything stays listed then
 */
export async function finishErasures(
  { storage }: { storage: ErasureStorage },
  options?: ForgetOptions,
): Promise<number> {
  // Read first: of what is erased from here on, the rewriting may miss some.
  const unfinished = await storage.read.listUnfinishedErasures();
  if (unfinished.length === 0 || !(await storage.forget(options))) return 0;
  await storage.transaction(async (tx) => {
    for (const erasure of unfinished) await tx.deleteUnfinishedErasure(erasure);
  });
  return unfinished.length;
}

/** At the end of an erasure: finishes what can be finished while requests wait, and says how the project's texts stand. */
export async function settleFiles(
  { storage }: { storage: ErasureStorage },
  projectId: string,
): Promise<FilesState> {
  await finishErasures({ storage });
  return (await storage.read.hasUnfinishedErasures(projectId)) ? 'pending' : 'cleared';
}
