export type {
  ApprovalMethod,
  AuditRecord,
  EventType,
  IntentDecision,
  IntentStatus,
  JsonObject,
  JsonValue,
  Outcome,
  PermitClaims,
  PermitRefusal,
  ProjectMode,
  ProofTier,
  Receipt,
  RiskTier,
  SourceType,
} from '@permitry/protocol';
export type { Audit } from './audit/audit.ts';
export type { CallOptions } from './calls/call-options.ts';
export type { Query } from './calls/http-client.ts';
export { repeatUnderKey } from './calls/repeat-under-key.ts';
export { ConnectionError, type ConnectionProblem } from './errors/connection-error.ts';
export { DeniedError } from './errors/denied-error.ts';
export { PermitRefusedError } from './errors/permit-refused-error.ts';
export { type FieldProblem, PermitryError } from './errors/permitry-error.ts';
export { WaitTimeoutError } from './errors/wait-timeout-error.ts';
export type { Gateway, GatewayOptions } from './gateway/gateway.ts';
export type { Intents } from './intents/intents.ts';
export type { WaitOptions } from './intents/wait-for-decision.ts';
export { Permitry, type RequestOptions } from './permitry.ts';
export type { Permits } from './permits/permits.ts';
export type { Proofs } from './proofs/proofs.ts';
export type { IntentDetails, ProtectOptions } from './protect/protect-options.ts';
export type { PermitryOptions } from './settings.ts';
export {
  createVerifier,
  type VerifiedPermit,
  type Verifier,
  type VerifierOptions,
} from './verifier/create-verifier.ts';
export { createMemoryReplayStore, type ReplayStore } from './verifier/replay-store.ts';
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookRefusal,
  WebhookRefusedError,
} from './webhooks/verify-webhook.ts';
export type { AuditQuery } from './wire/audit.ts';
export type {
  GatewayAnswer,
  GatewayCall,
  GatewaySettled,
  GatewayTool,
  GatewayUnsettled,
} from './wire/gateway.ts';
export type {
  Approval,
  ApproveIntent,
  CreateIntent,
  DenyIntent,
  Intent,
  IntentPermit,
  IntentSummary,
  ListIntents,
  RecordedOutcome,
  ReportOutcome,
} from './wire/intent.ts';
export type { JsonMember, JsonMembers, JsonParams } from './wire/json-params.ts';
export type { Page } from './wire/page.ts';
export type {
  PermitVerification,
  PresentedPermit,
  RevokedPermit,
  RevokePermit,
  UsedPermit,
} from './wire/permit.ts';
export type { StartedProof, StartProof, SubmitProof, SubmittedProof } from './wire/proof.ts';
