import {
  encodeSigningInput,
  type JsonObject,
  PERMIT_TYP,
  type ReceiptContent,
  receiptClaims,
} from '@permitry/protocol';
import type { ApiKey } from '../../../src/gate/access/credential.ts';
import type { Agent } from '../../../src/gate/agents/agent.ts';
import type { Approval } from '../../../src/gate/approvals/approval.ts';
import type { AuditEvent } from '../../../src/gate/audit/audit-event.ts';
import type { Intent, Resolution } from '../../../src/gate/intents/intent.ts';
import type { IdempotencyRecord } from '../../../src/gate/kernel/idempotency.ts';
import type { Project, User } from '../../../src/gate/projects/project.ts';
import type { IssuedPermit } from '../../../src/gate/tokens/issue-permit.ts';
import { receiptHeader } from '../../../src/gate/tokens/issue-receipt.ts';

/** An instant this many seconds after the moment at which all samples begin. */
export function at(seconds: number): string {
  return new Date(Date.parse('2026-11-20T05:00:00.000Z') + seconds * 1000).toISOString();
}

/** Texts and numbers that a database may wrongly change. */
export const ODD: JsonObject = {
  nul: 'a\u0000b',
  emoji: '👩‍👩‍👧‍👦 ✅',
  quotes: `'"\`;--\\`,
  bidi: 'abc\u202edef\u200b',
  composed: 'é',
  decomposed: 'e\u0301',
  spaces: '  \t\r\n ',
  looksLikeNumber: '0123',
  empty: '',
  'a.b/c~d': { '': [null, true, false, -1.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}] },
};

/** The same for columns of plain text, where PostgreSQL has no NUL. */
export const ODD_TEXT = `👩‍👩‍👧‍👦 '"\`;--\\ \u202e\u200b e\u0301 \r\n\t `;

export const LONG_TEXT = 'Ünïcode '.repeat(25_000);

export function aProject(changes: Partial<Project> = {}): Project {
  return {
    id: 'prj_1',
    name: 'First',
    mode: 'live',
    stoppedAt: null,
    rateLimitPerMinute: null,
    policySecondPerson: false,
    revision: 1,
    createdAt: at(0),
    ...changes,
  };
}

export function aUser(id: string, changes: Partial<User> = {}): User {
  return { id, email: `${id}@example.org`, name: null, createdAt: at(0), ...changes };
}

export function anAgent(id: string, changes: Partial<Agent> = {}): Agent {
  return {
    id,
    projectId: 'prj_1',
    name: `agent ${id}`,
    fingerprint: null,
    framework: null,
    labels: {},
    riskTier: 'low',
    status: 'active',
    ownerId: null,
    behind: [],
    ownerLeftAt: null,
    createdAt: at(0),
    lastSeenAt: null,
    ...changes,
  };
}

export function aKey(id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    kind: 'verify',
    projectId: 'prj_1',
    name: `key ${id}`,
    hash: `hash of ${id}`,
    hint: 'abcd',
    agentId: null,
    ownerId: null,
    rights: [],
    rateLimitPerMinute: null,
    createdAt: at(0),
    expiresAt: null,
    endsWithOwnerAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...changes,
  };
}

/** Pending, and expires at `at(3600)`. */
export function anIntent(id: string, changes: Partial<Intent> = {}): Intent {
  return {
    id,
    projectId: 'prj_1',
    action: 'payments.refund',
    params: { amount: 12 },
    paramsHash: 'sha256:aa',
    intentHash: 'sha256:bb',
    metadata: {},
    source: null,
    sourceType: 'ai_agent',
    riskTier: 'high',
    proofTier: 'none',
    requester: { type: 'agent', id: 'agt_1', display: 'refund bot', ownerId: null },
    agentId: 'agt_1',
    requestedRiskTier: 'low',
    requestedProofTier: 'none',
    approvers: ['finance'],
    minApprovals: null,
    decision: 'require_approval',
    rule: null,
    requirement: [{ from: ['finance'], count: 1 }],
    policyHash: 'sha256:cc',
    permitTtlSeconds: 300,
    createdAt: at(0),
    expiresAt: at(3600),
    status: 'pending',
    approvalsReceived: 0,
    approvalsRequired: 1,
    revision: 1,
    resolvedAt: null,
    resolvedBy: null,
    reason: null,
    approvedBy: null,
    approvedAt: null,
    approvals: [],
    permit: null,
    receipt: null,
    receiptIndex: null,
    consumedAt: null,
    consumedBy: null,
    revokedAt: null,
    outcome: null,
    outcomeAt: null,
    erasedAt: null,
    askedAgainFrom: null,
    askedBy: null,
    riskRated: true,
    extensionRequest: null,
    ...changes,
  };
}

/** Has the right form. Nothing here checks a signature. */
export function aPermitToken(claims: JsonObject): string {
  return `${encodeSigningInput({ alg: 'ES256', typ: PERMIT_TYP.live, kid: 'key' }, claims)}.c2lnbmVk`;
}

export function aPermit(id: string, changes: Partial<IssuedPermit> = {}): IssuedPermit {
  return { id, token: aPermitToken({ jti: id }), issuedAt: at(10), expiresAt: at(310), ...changes };
}

export function aReceipt(intentId: string, kid = 'key'): ReceiptContent {
  const content = {
    receipt_version: 2 as const,
    receipt_id: 'rct_1',
    intent_id: intentId,
    intent_hash: 'sha256:bb',
    action: 'payments.refund',
    params_hash: 'sha256:aa',
    policy_hash: 'sha256:cc',
    proof_tier: 'none' as const,
    proof_tier_achieved: 'session' as const,
    approved_by: 'ann@example.org',
    approved_at: at(10),
    issued_at: at(10),
    receipt_expires_at: at(31_536_000),
    kid,
  };
  const statusList = { idx: 7, uri: 'https://gate.example/v1/status/1' };
  const claims = receiptClaims(content, { issuer: 'https://gate.example', statusList });
  return { ...content, jws: `${encodeSigningInput(receiptHeader(kid), claims)}.c2lnbmVk` };
}

export function anApproval(intentId: string, permitId: string, seconds = 10): Resolution {
  return {
    status: 'approved',
    at: at(seconds),
    by: 'ann@example.org',
    reason: 'ticket 17',
    approvals: [{ by: 'ann@example.org', at: at(seconds), method: 'session' }],
    approvalsReceived: 1,
    approvalsRequired: 1,
    issued: {
      permit: aPermit(permitId, { issuedAt: at(seconds), expiresAt: at(seconds + 300) }),
      receipt: aReceipt(intentId),
      // Unique within the gate: each permit of the samples has its own index, for example 7 for `pmt_1`.
      receiptIndex: 6 + Number(permitId.replace(/\D+/g, '')),
    },
    deniedBy: null,
  };
}

export function aDenial(seconds = 10): Resolution {
  return {
    status: 'denied',
    at: at(seconds),
    by: 'ben@example.org',
    reason: 'no',
    approvals: [],
    approvalsReceived: 0,
    approvalsRequired: 1,
    issued: null,
    deniedBy: 'usr_2',
  };
}

export function aVote(intentId: string, userId: string, changes: Partial<Approval> = {}): Approval {
  return {
    intentId,
    userId,
    by: `${userId}@example.org`,
    decision: 'approve',
    at: at(10),
    method: 'token',
    credentialId: 'key_1',
    evidence: null,
    ...changes,
  };
}

export function anEvent(id: string, changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id,
    projectId: 'prj_1',
    type: 'intent.created',
    occurredAt: at(0),
    actor: { type: 'agent', id: 'agt_1', display: 'refund bot' },
    intentId: null,
    data: {},
    commitments: {},
    eventHash: `sha256:${id}`,
    ...changes,
  };
}

export function aRecord(changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    scope: 'key_1 POST /v1/intents',
    key: 'k1',
    bodyHash: 'aa',
    status: 201,
    body: { id: 'int_1' },
    expiresAt: at(86_400),
    ...changes,
  };
}
