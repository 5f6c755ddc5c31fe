/** What a read must show of an intent of the model, on either surface. */
import type { JsonObject } from '@permitry/protocol';
import { emailOf, REQUESTERS, type RequesterName } from './cast.ts';
import type { SurfaceName } from './commands.ts';
import { type GateModel, type ModelIntent, resolvedByEmail } from './gate-model.ts';
import { paramsOf, type World } from './world.ts';

type Instants = (seconds: number) => string;

/** `holdsPermit`: whether the reader may have the token. */
export function expectedView(
  surface: SurfaceName,
  model: GateModel,
  intent: ModelIntent,
  { actorIds, at, holdsPermit }: { actorIds: World['actorIds']; at: Instants; holdsPermit: boolean },
): JsonObject {
  const permit = intent.permits.at(-1);
  const common = {
    id: intent.id,
    status: intent.status,
    action: intent.action,
    created_at: at(intent.createdAt),
    expires_at: at(intent.expiresAt),
    resolved_at: resolvedAt(intent, at),
    resolved_by: resolvedBy(intent, actorIds),
    reason: intent.reason,
    ...(intent.status === 'denied'
      ? {}
      : { approvals_required: intent.required, approvals_received: intent.received }),
  };
  if (surface === 'a') {
    return {
      ...common,
      decision: intent.decision,
      context: paramsOf(intent),
      ...(permit && holdsPermit ? { permit_token: permit.token } : {}),
      ...(permit
        ? { receipt_v2: { revocation_status: model.receiptStatus(intent), intent_id: intent.id } }
        : {}),
    };
  }
  return {
    ...common,
    params: paramsOf(intent),
    approvers: [...(intent.approvers ?? [])],
    outcome: intent.outcome,
    ...(intent.status === 'pending' || intent.status === 'approved'
      ? { approvals: approvalsOf(model, intent, at) }
      : {}),
    ...(permit
      ? {
          permit: {
            expires_at: at(permit.expiresAt),
            approved_by: resolvedByEmail(intent) ?? '',
            approved_at: at(intent.resolvedAt ?? -1),
            ...(holdsPermit ? { token: permit.token } : {}),
          },
        }
      : {}),
  };
}

function resolvedAt(intent: ModelIntent, at: Instants): string | null {
  if (intent.status === 'expired') return at(intent.expiresAt);
  return intent.resolvedAt === null ? null : at(intent.resolvedAt);
}

/** If the requester withdrew the intent, its ID is shown, because it is not a person. */
function resolvedBy(intent: ModelIntent, actorIds: World['actorIds']): string | null {
  if (intent.reason === 'withdrawn' && isRequester(intent.resolvedBy)) return actorIds[intent.resolvedBy];
  return resolvedByEmail(intent);
}

function isRequester(by: string | null): by is RequesterName {
  return REQUESTERS.some((requester) => requester === by);
}

function approvalsOf({ mode }: GateModel, intent: ModelIntent, at: Instants): JsonObject[] {
  if (intent.decision === 'auto_approve') {
    return [{ by: resolvedByEmail(intent) ?? '', at: at(intent.createdAt), method: 'policy' }];
  }
  return intent.votes.map((vote) => ({
    by: emailOf(vote.person),
    at: at(vote.at),
    method: vote.by === 'secret' ? 'key' : mode === 'live' ? 'session' : 'token',
  }));
}
