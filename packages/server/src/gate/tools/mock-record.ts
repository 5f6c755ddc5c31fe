/** What mock connectors did, kept so that one can look at it. */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export interface MockRecord {
  /** The intent's: nothing is done twice for one. */
  id: string;
  projectId: string;
  connector: string;
  tool: string;
  /** The arguments it was done with; empty once they were erased. */
  arguments: JsonObject;
  at: Instant;
}

export interface MockRecordReader {
  /** Newest first. */
  listMockRecords(
    projectId: string,
    connector: string,
    page: { beforeId?: string; limit: number },
  ): Promise<readonly MockRecord[]>;
}

export interface MockRecordWriter {
  /** False when it was done already. */
  insertMockRecord(record: MockRecord): Promise<boolean>;
  eraseMockRecord(intentId: string): Promise<void>;
}
