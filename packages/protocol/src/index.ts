export { type ApiKeyForm, type ApiKeyKind, formatApiKey, parseApiKey } from './api-key.ts';
export {
  type AuditHead,
  type AuditProblem,
  type AuditVerification,
  type BadRecord,
  verifyAuditChain,
} from './audit-chain.ts';
export {
  type AuditExportExpectation,
  type AuditExportHeader,
  type AuditExportPart,
  type AuditExportVerification,
  type BadExportRecord,
  verifyAuditExport,
} from './audit-export.ts';
export { type AuditHeadClaims, type AuditHeadVerification, verifyAuditHead } from './audit-head.ts';
export {
  ACTOR_TYPES,
  AUDIT_FORMAT,
  type AuditActor,
  type AuditCommitment,
  type AuditEventContent,
  type AuditRecord,
  auditEventHash,
  auditRecordHash,
  commitText,
  committedText,
  genesisHash,
} from './audit-record.ts';
export { decodeBase64url, encodeBase64url } from './base64url.ts';
export { type CanonicalJson, canonicalJson } from './canonical-json.ts';
export { checkPermitClaims, type PermitExpectation } from './check-permit-claims.ts';
export {
  checkReceiptStatus,
  type FetchStatusList,
  type ReceiptStatusRefusal,
} from './check-receipt-status.ts';
export {
  type DecodedJws,
  decodeCompactJws,
  encodeSigningInput,
  type JwsHeader,
  type JwsRefusal,
  LONGEST_JWS,
} from './compact-jws.ts';
export { type DecodedPermit, decodePermit, type PermitRefused } from './decode-permit.ts';
export { foldEmailAddress } from './email-address.ts';
export {
  type ApproverDeviceKey,
  type ApproverKey,
  type ApproverKeyFile,
  type ApproverKeys,
  readApproverKeys,
} from './evidence/approver-keys.ts';
export { type AssertionRefusal, checkAssertion } from './evidence/check-assertion.ts';
export { checkDeviceProof, type DeviceProofRefusal } from './evidence/check-device-proof.ts';
export { type DeviceEvidence, deviceProofInput, isDeviceEvidence } from './evidence/device-evidence.ts';
export {
  type DeviceKeyJwk,
  deviceKeyId,
  isDeviceKeyJwk,
  isUsableDeviceKey,
} from './evidence/device-public-key.ts';
export { isPasskeyEvidence, type PasskeyEvidence } from './evidence/passkey-evidence.ts';
export { isPasskeyJwk, type PasskeyJwk } from './evidence/passkey-public-key.ts';
export {
  type ProofChallengeInput,
  type ProofTerms,
  proofChallenge,
} from './evidence/proof-challenge.ts';
export type { ReceiptApproval } from './evidence/receipt-approval.ts';
export {
  type ApprovalFinding,
  type EvidenceProblem,
  type EvidenceRefusal,
  type EvidenceVerification,
  verifyApprovalEvidence,
} from './evidence/verify-approval-evidence.ts';
export { isExactly } from './exact-number.ts';
export {
  hashCanonical,
  hashJson,
  type IntentHashInput,
  intentHash,
  isSha256Hash,
  type Sha256Hash,
} from './hashes.ts';
export { ID_PREFIXES, type IdPrefix, isId } from './ids.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { pointerSteps } from './json-pointer.ts';
export { amountsOf, findMisfit } from './mandates/covers.ts';
export type { Constraint, MandateDocument, MandateEntry } from './mandates/mandate-document.ts';
export { ODD_CHARACTERS } from './odd-characters.ts';
export { type OwnToolNames, ownTools } from './own-tools.ts';
export type { PermitClaims } from './permit.ts';
export { isAction, isInstant } from './properties.ts';
export type { PublicJwk, PublicJwks } from './public-jwk.ts';
export {
  epochSeconds,
  type Receipt,
  type ReceiptClaims,
  type ReceiptContent,
  receiptClaims,
  type StatusListReference,
  signedContent,
} from './receipt.ts';
export { returnPath } from './return-path.ts';
export { sha256Hex } from './sha256.ts';
export {
  decodeStatusList,
  type EncodedStatusList,
  STATUS_TYPE,
  type StatusBits,
  StatusList,
} from './status-list.ts';
export {
  type StatusListClaims,
  type StatusListRefusal,
  verifyStatusListToken,
} from './status-list-token.ts';
export { parseStrictJson } from './strict-json.ts';
export { StrictJsonError } from './strict-json-error.ts';
export {
  AUDIT_HEAD_TYP,
  DEVICE_PROOF_TYP,
  PERMIT_TYP,
  RECEIPT_TYP,
  STATUS_LIST_TYP,
  TOKEN_TYPS,
  type TokenTyp,
} from './token-typ.ts';
export { type OfflineVerification, verifyPermitOffline } from './verify-permit-offline.ts';
export {
  type DecodedReceipt,
  decodeReceipt,
  LONGEST_RECEIPT,
  type ReceiptFormRefusal,
  type ReceiptRefusal,
  type ReceiptRefused,
  readReceiptClaims,
  verifyReceiptOffline,
} from './verify-receipt-offline.ts';
export * from './vocabulary.ts';
