import type { JsonObject } from '@permitry/protocol';
import type { REQUEST_PROPERTIES } from '@permitry/protocol/schemas';
import type Type from 'typebox';
import type { Static } from 'typebox';
import type { IntentRequest } from '../../gate/intents/draft-intent.ts';

type SharedRequest = Static<Type.TObject<typeof REQUEST_PROPERTIES>>;

/** Converts the members that both surfaces share to the gate's names. Omitted members stay omitted. */
export function toIntentRequest(
  action: string,
  params: JsonObject | undefined,
  body: SharedRequest,
): IntentRequest {
  return {
    action,
    params: params ?? {},
    ...(body.source === undefined ? {} : { source: body.source }),
    ...(body.risk_tier === undefined ? {} : { riskTier: body.risk_tier }),
    ...(body.proof_tier === undefined ? {} : { proofTier: body.proof_tier }),
    ...(body.approvers === undefined ? {} : { approvers: body.approvers }),
    ...(body.min_approvals === undefined ? {} : { minApprovals: body.min_approvals }),
    ...(body.expires_in === undefined ? {} : { expiresInSeconds: body.expires_in }),
  };
}
