import type { ProjectMode } from './vocabulary.ts';

/** `typ` of a permit, by the mode of its project: a verifier of live permits refuses a test permit by its type. */
export const PERMIT_TYP = { live: 'permit+jwt', test: 'permit-test+jwt' } as const satisfies Record<
  ProjectMode,
  string
>;

/** `typ` of a receipt's `jws`. A receipt is evidence and never authorises. */
export const RECEIPT_TYP = 'approval-receipt+jwt';

/** `typ` of a Token Status List. */
export const STATUS_LIST_TYP = 'statuslist+jwt';

/** `typ` of the signed head of a project's audit chain. */
export const AUDIT_HEAD_TYP = 'audit-head+jwt';

/**
 * `typ` of what a person's device key signs. It stands here although no key of the gate makes one: so every verifier
 * knows it, as something else.
 */
export const DEVICE_PROOF_TYP = 'device-proof+jwt';

/**
 * Every type of token there is. The type is all that keeps one from passing for another
 * (RFC 8725 §3.11), so each verifier asks for exactly one.
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
