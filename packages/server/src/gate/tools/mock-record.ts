/** Records of the calls of mock connectors, for people to read. */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export interface MockRecord {
  /** The intent's ID, so that no call is recorded twice for an intent. */
  id: string;
  projectId: string;
  connector: string;
  tool: string;
  /** The arguments of the call. Empty once they were erased. */
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
  /** False if the record was inserted already. */
  insertMockRecord(record: MockRecord): Promise<boolean>;
  eraseMockRecord(intentId: string): Promise<void>;
}
