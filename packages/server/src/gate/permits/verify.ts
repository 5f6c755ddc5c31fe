import type { JsonObject, PermitClaims, ProjectMode, Receipt } from '@permitry/protocol';
import { checkPermitClaims, epochSeconds, hashJson } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import { type FieldProblem, GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import type { Instant } from '../instant.ts';
import { seesIntent } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { unknownIntent } from '../intents/unknown-intent.ts';
import type { Transaction } from '../ports.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { readReceipt } from '../receipts/read-receipt.ts';
import { assertCurrent, retryWhenStale, StaleReadError, settingsFor } from '../stale-read.ts';
import { assertUsable } from './assert-usable.ts';
import { permitInvalid } from './permit-refusal.ts';

export interface VerifyRequest {
  token: string;
  action?: string;
  params?: JsonObject;
  /** The moment of use: one winner per intent. Takes both action and params. */
  consume: boolean;
}

/** The permit authorises exactly this now; anything else is thrown as `permit_invalid` and means: do not run. */
export interface VerifiedPermit {
  /** False without both action and params: then it authorises nothing. */
  bound: boolean;
  intent: Intent;
  claims: PermitClaims;
  expiresAt: Instant;
  mode: ProjectMode;
  receipt: Receipt | null;
}

/** A permit that holds, and what its use rests on. */
interface HeldPermit extends VerifiedPermit {
  settings: ProjectSettings;
}

/**
 * Whether a permit authorises this action with exactly these parameters now; with `consume`, uses it. Throws
 * `permit_invalid` with the reason otherwise.
 */
export async function verifyPermit(
  gate: Gate,
  caller: Caller,
  request: VerifyRequest,
): Promise<VerifiedPermit> {
  if (request.consume) assertBoundRequest(request);
  return retryWhenStale(gate, caller, async (current) => {
    const held = await checkPermit(gate, current, request);
    return request.consume ? consume(gate, current, held) : held;
  });
}

function assertBoundRequest(request: VerifyRequest): void {
  const fields: FieldProblem[] = [];
  if (request.action === undefined) fields.push({ path: '/action', message: 'is required to consume' });
  if (request.params === undefined) fields.push({ path: '/params', message: 'are required to consume' });
  if (fields.length > 0) {
    throw new GateError('missing_fields', 'Consuming takes the action and its parameters.', { fields });
  }
}

async function checkPermit(gate: Gate, caller: Caller, request: VerifyRequest): Promise<HeldPermit> {
  if (!('projectId' in caller)) {
    throw new GateError('forbidden', 'Permits are verified with a key of the project.', {
      required: 'permits:verify',
    });
  }
  assertScope(caller, request.consume ? 'permits:consume' : 'permits:verify', caller.projectId);
  const claims = await gate.permits.recognise(request.token, caller.mode);
  const now = gate.clock.now();
  // No leeway: issuer and verifier are the same clock.
  const place = { issuer: gate.issuer, projectId: caller.projectId, now: epochSeconds(now) };
  const checked = checkPermitClaims(claims, place);
  if (!checked.ok) throw permitInvalid(checked.reason);
  const intent = await findPermitIntent(gate, caller, claims);
  assertSameAction(intent, claims, request);
  const settings = await settingsFor(gate, caller, caller.projectId);
  const agent = await findIntentAgent(settings, intent);
  assertUsable(intent, settings, agent, now);
  if (intent.consumedAt !== null) throw permitInvalid('already_used');
  return {
    bound: request.action !== undefined && request.params !== undefined,
    intent,
    claims,
    expiresAt: new Date(claims.exp * 1000).toISOString(),
    mode: settings.mode,
    receipt: readReceipt(intent, agent?.status ?? null, gate.signer),
    settings,
  };
}

/**
 * A genuine signature is not enough: the permit must be one this gate remembers issuing, for an intent that is
 * approved. One that is not (a store restored from an older copy) counts as revoked.
 */
async function findPermitIntent(gate: Gate, caller: Caller, claims: PermitClaims): Promise<Intent> {
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

async function consume(gate: Gate, caller: Caller, held: HeldPermit): Promise<VerifiedPermit> {
  const { intent, settings, claims } = held;
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx: Transaction) => {
    // One transaction with the checks of pause, stop, policy (all under the revision), revocation and earlier use.
    await assertCurrent(gate, tx, caller, settings);
    // The transaction may have waited for others; the permit's time has not.
    if (claims.exp <= epochSeconds(gate.clock.now())) throw permitInvalid('expired');
    if (!(await tx.consumeIntent(intent.id, caller.credentialId, now))) throw new StaleReadError();
    await recordEvent(gate, tx, {
      projectId: intent.projectId,
      type: 'permit.consumed',
      occurredAt: now,
      actor: toActor(caller),
      intentId: intent.id,
      data: { permit_id: claims.jti, params_hash: intent.paramsHash },
    });
    return { ...held, intent: { ...intent, consumedAt: now, consumedBy: caller.credentialId } };
  });
}
