/** Records of what mock connectors did, for people to look at. */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export interface MockRecord {
  /** The intent's ID, so nothing is done twice for an intent. */
  id: string;
  projectId: string;
  connector: string;
  tool: string;
  /** The arguments of the call; empty once they were erased. */
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
  /** False if it was inserted already. */
  insertMockRecord(record: MockRecord): Promise<boolean>;
  eraseMockRecord(intentId: string): Promise<void>;
}
