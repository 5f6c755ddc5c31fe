/** The moments between an operation's look and its write, made as long as a test needs them. */
import { vi } from 'vitest';
import { GroupCommit } from '../../src/storage/sqlite/group-commit.ts';
import type { TestGate } from '../fixtures/open-test-gate.ts';

export interface HeldWriter {
  /** Starts an operation; resolves when its transaction waits in the queue, behind those queued before it. */
  queue<T>(start: () => Promise<T>): Promise<{ running: Promise<T> }>;
  /** Lets the queue go on: what waits in it makes one group, committed together. */
  release(): Promise<void>;
}

/** Keeps the writing connection busy with a transaction of its own. */
export async function holdWriter(t: TestGate): Promise<HeldWriter> {
  // Nothing else is to be written meanwhile.
  await t.ledger.sealNow(t.projectId);
  const submit = vi.spyOn(GroupCommit.prototype, 'submit');
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = t.gate.storage.transaction(async () => {
    begun.resolve();
    await released.promise;
  });
  await begun.promise;
  return {
    async queue(start) {
      const before = submit.mock.calls.length;
      const running = start();
      while (submit.mock.calls.length === before) await new Promise((resolve) => setImmediate(resolve));
      return { running };
    },
    async release() {
      submit.mockRestore();
      released.resolve();
      await held;
    },
  };
}
