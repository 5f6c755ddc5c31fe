import type { EventType } from '@permitry/protocol';
import type { AuditReader, SealedEvent } from '../audit/audit-event.ts';
import type { Storage } from '../kernel/storage.ts';
import type { OutboxReader } from './delivery.ts';

/** The most events of one step: so few that nobody waits long behind the transaction that processes them. */
const MOST_SCANNED = 2000;

/** The next events for a reader of the log. */
export interface SealedPage {
  /** The reader's position. Undefined: the reader has not started. */
  position: number | undefined;
  /** `seq` of the last event of the log. */
  headSeq: number;
  events: readonly SealedEvent[];
  /** The reader's position once it has processed all of these events. */
  end: number;
}

/** @param after Reads only events after this position. @returns Undefined if there are no more events. */
export async function readSealed(
  { storage: { read } }: { storage: Storage<AuditReader & OutboxReader> },
  { reader, projectId }: { reader: string; projectId: string },
  { types, limit, after = 0 }: { types: readonly EventType[]; limit: number; after?: number },
): Promise<SealedPage | undefined> {
  const position = await read.findReaderPosition(reader, projectId);
  const headSeq = (await read.findChainHead(projectId))?.seq ?? 0;
  const afterSeq = Math.max(position ?? 0, after);
  if (headSeq <= afterSeq) return undefined;
  const throughSeq = Math.min(afterSeq + MOST_SCANNED, headSeq);
  const events = await read.listSealedEvents({ projectId, types, order: 'asc', afterSeq, throughSeq, limit });
  const end = events.length < limit ? throughSeq : (events.at(-1)?.seq ?? throughSeq);
  return { position, headSeq, events, end };
}
