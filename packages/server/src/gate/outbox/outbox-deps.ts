import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Storage } from '../kernel/storage.ts';
import type { OutboxReader, OutboxWriter } from './delivery.ts';

/** Dependencies of the work on deliveries of any channel. */
export interface OutboxDeps<Reads = unknown, Writes = unknown> {
  storage: Storage<OutboxReader & Reads, OutboxWriter & Writes>;
  clock: Clock;
  ids: Ids;
}
