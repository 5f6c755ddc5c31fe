import type { JsonObject, PermitClaims, ProjectMode, Receipt } from '@permitry/protocol';
import { checkPermitClaims, epochSeconds, hashJson } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { seesIntent } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import type { IntentTx } from '../intents/intent-deps.ts';
import { recordPermitConsumed } from '../intents/intent-events.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { type FieldProblem, GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import type { Instant } from '../kernel/instant.ts';
import { unknownIntent } from '../kernel/not-found.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';
import { readReceipt } from '../tokens/read-receipt.ts';
import { assertUsable } from './assert-usable.ts';
import type { PermitDeps, VerificationDeps } from './permit-deps.ts';

export interface VerifyRequest {
  token: string;
  action?: string;
  params?: JsonObject;
  /** Also uses the permit. Only one use per intent succeeds. Requires both action and params. */
  consume: boolean;
}

/** The permit authorises exactly this now. Any other result is thrown as `permit_invalid` and means: do not run. */
export interface VerifiedPermit {
  /** False without both action and params. The answer then authorises nothing. */
  bound: boolean;
  intent: Intent;
  claims: PermitClaims;
  expiresAt: Instant;
  mode: ProjectMode;
  receipt: Receipt | null;
}

/** A valid permit, and the state that its use depends on. */
export interface CheckedPermit extends VerifiedPermit {
  settings: ProjectSettings;
}

/**
 * Verifies that a permit authorises this action with exactly these parameters now. With `consume`, also uses the
 * permit. Otherwise throws `permit_invalid` with the reason.
 */
export async function verifyPermit(
  gate: VerificationDeps,
  caller: Caller,
  request: VerifyRequest,
  remember?: Remember<VerifiedPermit>,
): Promise<VerifiedPermit> {
  if (request.consume) assertBoundRequest(request);
  return retryWhenStale(gate, caller, async (current) => {
    const checked = await checkPermit(gate, current, request);
    if (request.consume) return usePermit(gate, current, checked, { by: current.credentialId }, remember);
    await gate.losses.assertNone();
    return checked;
  });
}

/**
 * How far a gate's clock may be behind. Gates that share a database learn its time with the delay of an answer, and a
 * loaded gate learns it last.
 */
const MOST_DELAY_SECONDS = 5;

/**
 * No leeway at the end. At the beginning, accepts a permit that another gate has just signed, even if its clock is
 * slightly ahead.
 */
function notBeforeIssued(now: number, { nbf }: PermitClaims): number {
  return nbf - now <= MOST_DELAY_SECONDS ? Math.max(now, nbf) : now;
}

function assertBoundRequest(request: VerifyRequest): void {
  const fields: FieldProblem[] = [];
  if (request.action === undefined) fields.push({ path: '/action', message: 'is required to consume' });
  if (request.params === undefined) fields.push({ path: '/params', message: 'are required to consume' });
  if (fields.length > 0) {
    throw new GateError('missing_fields', 'Consuming requires the action and its parameters.', { fields });
  }
}

/** Everything that verification checks, and that use checks first. Throws `permit_invalid`, which means: do not run. */
export async function checkPermit(
  gate: PermitDeps,
  caller: Caller,
  request: VerifyRequest,
): Promise<CheckedPermit> {
  if (!('projectId' in caller)) {
    throw new GateError('forbidden', 'Verifying a permit requires a key of its project.', {
      required: 'permits:verify',
    });
  }
  assertScope(caller, request.consume ? 'permits:consume' : 'permits:verify', caller.projectId);
  // Read first, because a gate learns of withdrawn signing keys when it reads the settings.
  const settings = await settingsFor(gate, caller, caller.projectId);
  const claims = await gate.tokens.recogniser.recognise(request.token, caller.mode);
  const now = gate.clock.now();
  const expected = {
    issuer: gate.tokens.issuer,
    projectId: caller.projectId,
    now: notBeforeIssued(epochSeconds(now), claims),
  };
  const checked = checkPermitClaims(claims, expected);
  if (!checked.ok) throw permitInvalid(checked.reason);
  const intent = await findPermitIntent(gate, caller, claims);
  assertSameAction(intent, claims, request);
  const agent = await findIntentAgent(settings, intent);
  assertUsable(intent, settings, agent, now);
  if (intent.consumedAt !== null) throw permitInvalid('already_used');
  return {
    bound: request.action !== undefined && request.params !== undefined,
    intent,
    claims,
    expiresAt: new Date(claims.exp * 1000).toISOString(),
    mode: settings.mode,
    receipt: readReceipt(intent, agent?.status ?? null, gate.tokens.signer),
    settings,
  };
}

/**
 * A genuine signature is not enough. The gate must have a record of issuing the permit for an approved intent. Without
 * one (a store restored from an older copy) the permit counts as revoked.
 */
async function findPermitIntent(
  gate: Pick<PermitDeps, 'storage'>,
  caller: Caller,
  claims: PermitClaims,
): Promise<Intent> {
  const intent = await gate.storage.read.findIntent(claims.txn);
  if (!intent || intent.projectId !== claims.aud || intent.status !== 'approved')
    throw permitInvalid('revoked');
  if (!seesIntent(caller, intent)) throw unknownIntent();
  if (intent.permit?.id !== claims.jti && !(await gate.storage.read.findPermit(intent.id, claims.jti))) {
    throw permitInvalid('revoked');
  }
  if (intent.action !== claims.action || intent.paramsHash !== claims.params_hash)
    throw permitInvalid('tampered');
  return intent;
}

function assertSameAction(intent: Intent, claims: PermitClaims, request: VerifyRequest): void {
  if (request.action !== undefined && request.action !== intent.action)
    throw permitInvalid('action_mismatch');
  if (request.params !== undefined && hashJson(request.params) !== claims.params_hash) {
    throw permitInvalid('params_mismatch');
  }
}

/** The user of a permit, and what else the transaction of the use writes. */
export interface PermitUse<Tx = unknown> {
  /** The credential, or the connector request that the gate runs itself. Only it may report the outcome. */
  by: string;
  settle?(tx: Tx): Promise<void>;
  /** Writes events that come after the event of the use. */
  recordOutcome?(tx: Tx): Promise<void>;
}

/** Uses a permit that was checked. Throws `StaleReadError` when a concurrent change came first. */
export async function usePermit<Reads, Writes>(
  gate: PermitDeps<Reads, Writes>,
  caller: Caller,
  checked: CheckedPermit,
  { by, settle, recordOutcome }: PermitUse<Reads & Writes & IntentTx>,
  remember?: Remember<VerifiedPermit>,
): Promise<VerifiedPermit> {
  const { intent, settings, claims } = checked;
  const now = gate.clock.now();
  return gate.storage.transaction(
    async (tx) => {
      // The same transaction also checks pause, stop, policy (all under the revision), revocation and earlier use.
      await assertCurrent(gate, tx, caller, settings);
      // The transaction may have to wait, and the permit may expire meanwhile.
      tx.beforeCommit(() => {
        if (claims.exp <= epochSeconds(gate.clock.now())) throw permitInvalid('expired');
      });
      if (!(await tx.consumeIntent(intent.id, by, now))) throw new StaleReadError();
      await settle?.(tx);
      await recordPermitConsumed(gate, tx, intent, claims.jti, toActor(caller), now);
      await recordOutcome?.(tx);
      const used = { ...checked, intent: { ...intent, consumedAt: now, consumedBy: by } };
      await remember?.(tx, used);
      return used;
    },
    { guarded: true },
  );
}
