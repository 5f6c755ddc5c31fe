/** A test gate whose database a test can also open behind the gate's back, like an attacker with disk access. */
import { DatabaseSync } from 'node:sqlite';
import type { BadRecord, EventType, JsonObject } from '@permitry/protocol';
import type { Actor } from '../../src/gate/access/caller.ts';
import { type EventToRecord, recordEvent } from '../../src/gate/audit/record-event.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { databaseFile } from '../../src/storage/sqlite/open-database.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';

const SYSTEM: Actor = { type: 'system', id: 'system', display: 'the gate' };
export const PERSON: Actor = { type: 'user', id: 'usr_1', display: 'ann@example.org' };

export interface TestLedger extends TestGate {
  /** Commits one event in a transaction of its own. */
  record(event?: Partial<EventToRecord>): Promise<void>;
  /** Commits this many, and seals them. */
  recordSealed(count: number): Promise<void>;
  /** Runs SQL on the file itself, bypassing the gate. Returns how many rows changed. */
  tamper(sql: string, ...values: (string | number | null)[]): number;
  /** Replaces the chain's hash of the record at `seq`, bypassing the gate. */
  tamperHash(seq: number, hash: string): void;
  /** The first problem that verification finds. Undefined: none. */
  firstBad(): Promise<BadRecord | undefined>;
}

export async function openTestLedger(): Promise<TestLedger> {
  const t = await openTestGate();
  const { gate, projectId } = t;

  async function record(event: Partial<EventToRecord> = {}): Promise<void> {
    const type: EventType = 'access.refused';
    const data: JsonObject = { scope: 'audit:read' };
    const occurredAt = gate.clock.now();
    await gate.storage.transaction((tx) =>
      recordEvent(gate, tx, { projectId, type, occurredAt, actor: SYSTEM, data, ...event }),
    );
  }

  function tamper(sql: string, ...values: (string | number | null)[]): number {
    const file = new DatabaseSync(databaseFile(t.dataDir));
    try {
      return Number(file.prepare(sql).run(...values).changes);
    } finally {
      file.close();
    }
  }

  return {
    ...t,
    record,
    tamper,
    tamperHash(seq, hash) {
      // `hashes` has 64 digits for each record, beginning with the record `first_seq`. SQL counts characters from 1.
      const changed = tamper(
        `update seals set hashes = substr(hashes, 1, 64 * (? - first_seq)) || ? || substr(hashes, 64 * (? - first_seq + 1) + 1)
         where first_seq <= ? and last_seq >= ?`,
        seq,
        hash.replace('sha256:', ''),
        seq,
        seq,
        seq,
      );
      if (changed !== 1) throw new Error(`no seal covers record ${seq}`);
      // The next seal repeats the hash of the record before it.
      tamper('update seals set prev_hash = ? where first_seq = ?', hash, seq + 1);
    },
    async recordSealed(count) {
      await Promise.all(Array.from({ length: count }, (_, n) => record({ data: { n } })));
      await gate.ledger.sealNow(projectId);
    },
    async firstBad() {
      const verdict = await verifyAudit(gate, OPERATOR, projectId);
      if (verdict.valid !== (verdict.firstBad === undefined)) throw new Error('valid, or what is wrong');
      return verdict.firstBad;
    },
  };
}
