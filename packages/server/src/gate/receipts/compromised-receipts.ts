import type { Clock } from '../kernel/clock.ts';
import type { Signer } from '../kernel/signer.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { ReceiptStatusReader } from '../tokens/receipt-status.ts';
import { firstIndexOfStatusList, RECEIPTS_PER_STATUS_LIST } from '../tokens/status-slot.ts';

/** Receipts per query. Each receipt is read completely. */
const RANGE = 512;
/** A receipt signed just before its key was withdrawn may be stored this much later. */
const SETTLED_MS = 60_000;

interface Found {
  kids: string;
  indexes: readonly number[];
  at: number;
}

/**
 * Finds the receipts of a status list that withdrawn keys signed. No index covers keys, so every receipt is read. No
 * new receipt gets a withdrawn key, so each list is read once per withdrawn key.
 */
export class CompromisedReceipts {
  readonly #parts: { read: ReceiptStatusReader; clock: Clock; signer: Signer };
  readonly #known = new Map<number, Found>();

  constructor(parts: { read: ReceiptStatusReader; clock: Clock; signer: Signer }) {
    this.#parts = parts;
  }

  async find(list: number): Promise<readonly number[]> {
    const { signer, clock } = this.#parts;
    const keys = signer.keys().filter(({ state }) => state === 'compromised');
    if (keys.length === 0) return [];
    const kids = keys.map(({ kid }) => kid).join();
    const last = Math.max(...keys.map(({ compromisedAt }) => Date.parse(compromisedAt ?? clock.now())));
    const known = this.#known.get(list);
    if (known?.kids === kids && known.at >= last + SETTLED_MS) return known.indexes;
    const at = Date.parse(clock.now());
    const indexes: number[] = [];
    for (const { kid } of keys) indexes.push(...(await this.#read(list, kid)));
    this.#known.set(list, { kids, indexes, at });
    return indexes;
  }

  async #read(list: number, kid: string): Promise<number[]> {
    const first = firstIndexOfStatusList(list);
    const found: number[] = [];
    for (let from = first; from < first + RECEIPTS_PER_STATUS_LIST; from += RANGE) {
      found.push(...(await this.#parts.read.listReceiptsSignedBy(kid, from, from + RANGE)));
      await yieldToEventLoop();
    }
    return found;
  }
}
