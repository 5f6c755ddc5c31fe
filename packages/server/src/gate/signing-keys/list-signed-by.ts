import type { Receipt } from '@permitry/protocol';
import { decodeCompactJws, PERMIT_TYP } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import { findAgentStatus } from '../intents/intent-view.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { idCursor, type Page, type PageRequest, pageLimit } from '../kernel/page.ts';
import { readReceipt } from '../tokens/read-receipt.ts';
import { getSigningKey } from './read-signing-keys.ts';
import type { SigningKeyDeps } from './signing-key-deps.ts';

/** An approval for which the key signed something: its receipt, its latest permit, or both. */
export interface SignedApproval {
  intent: Intent;
  /** Null when another key signed the receipt. */
  receipt: Receipt | null;
  /** The latest permit, unless it is used, revoked or expired. Never includes the token. */
  unusedPermit: { id: string; expiresAt: Instant } | null;
}

export interface SignedByRequest extends PageRequest {
  projectId: string;
  /** Omitted: all compromised keys. */
  kid?: string;
}

/**
 * The longest lifetime of an intent (`expires_in`). An intent older than this when the key began to sign was not
 * approved with the key.
 */
const LONGEST_INTENT_SECONDS = 30 * 24 * 3600;

/** The most intents examined for one page, in steps. Other requests are answered between steps. */
const MOST_SCANNED = 2000;
const STEP = 100;

/**
 * Lists the receipts and permits that compromised keys, or the given key, signed in a project, newest first. These
 * receipts no longer prove anything, and these permits are refused. No index covers keys, so approvals are examined one
 * by one. A page may hold fewer than `limit`, even none, and still have a next page.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`, `not_found`
 */
export async function listSignedBy(
  gate: SigningKeyDeps,
  caller: Caller,
  request: SignedByRequest,
): Promise<Page<SignedApproval>> {
  const { projectId, kid } = request;
  assertScope(caller, 'audit:read', projectId);
  let cursor = idCursor(request, 'int_');
  if (!(await gate.storage.read.findProject(projectId))) throw unknownProject();
  const keys =
    kid === undefined
      ? gate.tokens.signer.keys().filter(({ state }) => state === 'compromised')
      : [getSigningKey(gate, kid)];
  const kids = new Set(keys.map((key) => key.kid));
  const [firstUse] = keys.flatMap(({ activatedAt }) => activatedAt ?? []).sort();
  if (firstUse === undefined) return { items: [], nextCursor: null };
  const oldest = addSeconds(firstUse, -LONGEST_INTENT_SECONDS);
  const limit = pageLimit(request);
  const items: SignedApproval[] = [];
  for (let scanned = 0; scanned < MOST_SCANNED; scanned += STEP) {
    const intents = await gate.storage.read.listWholeIntents({
      projectIds: [projectId],
      status: 'approved',
      ...(cursor === undefined ? {} : { beforeId: cursor }),
      limit: STEP,
    });
    for (const intent of intents) {
      if (intent.createdAt < oldest) return { items, nextCursor: null };
      const signed = await findSigned(gate, intent, kids);
      if (signed) items.push(signed);
      cursor = intent.id;
      if (items.length === limit) return { items, nextCursor: cursor };
    }
    if (intents.length < STEP) return { items, nextCursor: null };
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { items, nextCursor: cursor ?? null };
}

async function findSigned(
  gate: SigningKeyDeps,
  intent: Intent,
  kids: ReadonlySet<string>,
): Promise<SignedApproval | undefined> {
  const receiptIsIts = intent.receipt !== null && kids.has(intent.receipt.kid);
  const permitIsIts = isSignedBy(intent.permit?.token, kids);
  if (!receiptIsIts && !permitIsIts) return undefined;
  return {
    intent,
    receipt: receiptIsIts
      ? readReceipt(intent, await findAgentStatus(gate, intent), gate.tokens.signer)
      : null,
    unusedPermit: permitIsIts ? unusedPermit(intent, gate.clock.now()) : null,
  };
}

function unusedPermit(
  { permit, consumedAt, revokedAt }: Intent,
  now: Instant,
): SignedApproval['unusedPermit'] {
  if (!permit || consumedAt !== null || revokedAt !== null || permit.expiresAt <= now) return null;
  return { id: permit.id, expiresAt: permit.expiresAt };
}

function isSignedBy(token: string | undefined, kids: ReadonlySet<string>): boolean {
  if (token === undefined) return false;
  return Object.values(PERMIT_TYP).some((typ) => {
    const decoded = decodeCompactJws(token, { typ });
    return decoded.ok && kids.has(decoded.header.kid);
  });
}
