import type { StatusListReference } from '@permitry/protocol';

/**
 * Number of receipts per status list: 32 KiB unpacked. So many that fetching a list reveals nothing about a single
 * receipt.
 */
export const RECEIPTS_PER_STATUS_LIST = 131_072;

/** The first index of a list. Lists are numbered from 0. */
export function firstIndexOfStatusList(list: number): number {
  return list * RECEIPTS_PER_STATUS_LIST;
}

/** The place of a receipt's status, given the receipt's index. Receipts of all projects share the lists. */
export function statusSlotOf(issuer: string, receiptIndex: number): StatusListReference {
  const list = Math.floor(receiptIndex / RECEIPTS_PER_STATUS_LIST);
  return { idx: receiptIndex % RECEIPTS_PER_STATUS_LIST, uri: statusListUri(issuer, list) };
}

/** The list's address, which receipts contain. */
export function statusListUri(issuer: string, list: number): string {
  return `${issuer}/v1/status/${list}`;
}
