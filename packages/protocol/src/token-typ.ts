import type { ProjectMode } from './vocabulary.ts';

/** `typ` of a permit, by the mode of its project. A verifier of live permits refuses a test permit by its type. */
export const PERMIT_TYP = { live: 'permit+jwt', test: 'permit-test+jwt' } as const satisfies Record<
  ProjectMode,
  string
>;

/** `typ` of a receipt's `jws`. A receipt is a record and never authorises. */
export const RECEIPT_TYP = 'approval-receipt+jwt';

/** `typ` of a Token Status List. */
export const STATUS_LIST_TYP = 'statuslist+jwt';

/** `typ` of the signed head of a project's audit chain. */
export const AUDIT_HEAD_TYP = 'audit-head+jwt';

/**
 * `typ` of what a person's device key signs. No key of the gate makes such a token. The type is listed so that every
 * verifier recognises such a token and refuses it.
 */
export const DEVICE_PROOF_TYP = 'device-proof+jwt';

/**
 * Every type of token there is. Only the type keeps one from passing for another (RFC 8725 §3.11), so each verifier
 * accepts exactly one.
 */
export const TOKEN_TYPS = [
  PERMIT_TYP.live,
  PERMIT_TYP.test,
  RECEIPT_TYP,
  STATUS_LIST_TYP,
  AUDIT_HEAD_TYP,
  DEVICE_PROOF_TYP,
] as const;
export type TokenTyp = (typeof TOKEN_TYPS)[number];
