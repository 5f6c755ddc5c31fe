import type { IdempotencyReader } from '../kernel/idempotency.ts';
import type { PermitDeps } from '../permits/permit-deps.ts';
import type { ConnectorRequestReader, ConnectorRequestWriter } from './connector-request.ts';
import type { MockRecordReader, MockRecordWriter } from './mock-record.ts';
import type { Tools } from './tools.ts';

type Reads = ConnectorRequestReader & IdempotencyReader & MockRecordReader;
export type ToolWrites = ConnectorRequestWriter & MockRecordWriter;

/** Dependencies of calling tools. */
export interface ToolDeps extends PermitDeps<Reads, ToolWrites> {
  tools: Tools;
}
