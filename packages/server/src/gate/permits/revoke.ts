import { decodePermit, PROJECT_MODES } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import { getIntent } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import type { PermitDeps } from './permit-deps.ts';

export interface RevocationRequest {
  /** The intent whose approval to revoke, or a permit of that intent. */
  target: { intentId: string } | { token: string };
  reason?: string;
}

/** An approval that was revoked by this call or earlier. */
export interface Revocation {
  intent: Intent;
  revokedAt: Instant;
}

/**
 * Revokes an approval. Every permit of the intent is refused from now on and its receipt reads `revoked`. A second call
 * gives the same answer and records nothing.
 */
export async function revokePermit(
  gate: PermitDeps,
  caller: Caller,
  request: RevocationRequest,
): Promise<Revocation> {
  return retryWhenStale(gate, caller, (current) => revokeOnce(gate, current, request));
}

async function revokeOnce(gate: PermitDeps, caller: Caller, request: RevocationRequest): Promise<Revocation> {
  const intent = await getIntent(gate, caller, await findIntentId(gate, caller, request));
  assertScope(caller, 'permits:revoke', intent.projectId);
  if (intent.status !== 'approved') {
    throw new GateError(
      'conflict',
      `This request is ${intent.status}, so there is no approval to revoke.`,
      {},
    );
  }
  if (intent.revokedAt !== null) return { intent, revokedAt: intent.revokedAt };
  const settings = await settingsFor(gate, caller, intent.projectId);
  const revokedAt = gate.clock.now();
  const { reason = null } = request;
  return gate.storage.transaction(async (tx) => {
    await assertCurrent(gate, tx, caller, settings);
    if (!(await tx.revokeIntent(intent.id, revokedAt))) throw new StaleReadError();
    await tx.bumpReceiptStatusRevision();
    await recordEvent(gate, tx, {
      projectId: intent.projectId,
      type: 'permit.revoked',
      occurredAt: revokedAt,
      actor: toActor(caller),
      intentId: intent.id,
      data: { permit_id: intent.permit?.id ?? null, reason },
      personal: reason === null ? [] : ['/data/reason'],
    });
    return { intent: { ...intent, revokedAt }, revokedAt };
  });
}

async function findIntentId(
  gate: Pick<PermitDeps, 'tokens'>,
  caller: Caller,
  { target }: RevocationRequest,
): Promise<string> {
  if ('intentId' in target) return target.intentId;
  const { token } = target;
  // A person may be in projects of both modes, and the permit contains its own mode. The next step checks whether the
  // person may see the intent.
  const mode =
    'mode' in caller ? caller.mode : PROJECT_MODES.find((mode) => decodePermit(token, { mode }).ok);
  // Recognises expired and used permits too. They can be revoked because their receipt is still evidence.
  return (await gate.tokens.recogniser.recognise(token, mode ?? 'live')).txn;
}
