import type { AuditRecord } from '@permitry/protocol';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { AuditReader, SealedEvent } from './audit-event.ts';
import { toAuditRecord } from './to-audit-record.ts';

/** Records per page: few enough that other work does not wait long while a page is read and hashed. */
const PAGE = 200;

/**
 * The project's records after `startSeq` up to `throughSeq`, one page in memory at a time. Other work runs between
 * pages. Throws at a record that cannot be read, after it yielded all records before.
 */
export async function* sealedRecords(
  read: AuditReader,
  projectId: string,
  throughSeq: number,
  startSeq = 0,
): AsyncGenerator<AuditRecord, void, void> {
  let afterSeq = startSeq;
  let limit = PAGE;
  while (afterSeq < throughSeq) {
    let page: readonly SealedEvent[];
    try {
      page = await read.listSealedEvents({ projectId, order: 'asc', afterSeq, limit });
    } catch (error) {
      if (limit === 1) throw error;
      limit = 1;
      continue;
    }
    for (const event of page) {
      if (event.seq > throughSeq) return;
      yield toAuditRecord(event);
    }
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    afterSeq = last.seq;
    await yieldToEventLoop();
  }
}
