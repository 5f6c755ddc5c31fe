import type { AuditRecord } from '@permitry/protocol';
import type { Reader } from '../ports.ts';
import { toAuditRecord } from './to-audit-record.ts';

/** Few enough that nobody waits long behind a page that is being read and hashed. */
const PAGE = 200;

/** The project's records from the first up to `throughSeq`, a page in memory at a time; others are served between. */
export async function* sealedRecords(
  read: Reader,
  projectId: string,
  throughSeq: number,
): AsyncGenerator<AuditRecord, void, void> {
  let afterSeq = 0;
  while (afterSeq < throughSeq) {
    const page = await read.listSealedEvents({ projectId, order: 'asc', afterSeq, limit: PAGE });
    for (const event of page) {
      if (event.seq > throughSeq) return;
      yield toAuditRecord(event);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    afterSeq = last.seq;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
