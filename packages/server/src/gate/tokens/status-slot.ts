import type { StatusListReference } from '@permitry/protocol';

/** Receipts of one status list: 32 KiB unpacked, and a crowd large enough that one fetch tells of nobody. */
export const RECEIPTS_PER_STATUS_LIST = 131_072;

/** The first place of a list; lists are numbered from 0. */
export function firstIndexOfStatusList(list: number): number {
  return list * RECEIPTS_PER_STATUS_LIST;
}

/** Where the status of a receipt stands, by the number it was given; receipts of all projects share the lists. */
export function statusSlotOf(issuer: string, receiptIndex: number): StatusListReference {
  const list = Math.floor(receiptIndex / RECEIPTS_PER_STATUS_LIST);
  return { idx: receiptIndex % RECEIPTS_PER_STATUS_LIST, uri: statusListUri(issuer, list) };
}

/** As receipts name it. */
export function statusListUri(issuer: string, list: number): string {
  return `${issuer}/v1/status/${list}`;
}
