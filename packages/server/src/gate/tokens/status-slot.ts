import type { StatusListReference } from '@permitry/protocol';

/**
 * Receipts of one status list: 32 KiB unpacked, and so many that fetching the list reveals nothing about one receipt.
 */
export const RECEIPTS_PER_STATUS_LIST = 131_072;

/** The first index of a list. Lists are numbered from 0. */
export function firstIndexOfStatusList(list: number): number {
  return list * RECEIPTS_PER_STATUS_LIST;
}

/** The place of a receipt's status, by the receipt's number. Receipts of all projects share the lists. */
export function statusSlotOf(issuer: string, receiptIndex: number): StatusListReference {
  const list = Math.floor(receiptIndex / RECEIPTS_PER_STATUS_LIST);
  return { idx: receiptIndex % RECEIPTS_PER_STATUS_LIST, uri: statusListUri(issuer, list) };
}

/** The address that receipts name. */
export function statusListUri(issuer: string, list: number): string {
  return `${issuer}/v1/status/${list}`;
}
