import type { RiskTier } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import { higherTier } from '../intents/policy-request.ts';
import type { Attachment } from '../intents/submit.ts';
import { StaleReadError } from '../project-settings/stale-read.ts';
import { assertArguments } from './assert-arguments.ts';
import { getTool } from './get-tool.ts';
import type { ToolDeps, ToolWrites } from './tool-deps.ts';
import { newRequest } from './use-approval.ts';

/** What a call of a tool adds to an intent that asks for it again. */
export interface RepeatedCall {
  riskTier: RiskTier;
  attached: Attachment<ToolWrites>;
}

/**
 * The call of a tool that an intent was made for, to be attached to the intent that asks for it again: for the tool as it
 * is now. It is not run by that, also where policy allows it: the requester comes back for it. Undefined for an intent
 * that was made for no call.
 *
 * @throws GateError `not_found` for a tool that is not offered any more, `missing_fields` and `invalid_fields` for
 * arguments that do not fit it any more
 */
export async function repeatCall(
  gate: ToolDeps,
  caller: Caller,
  intent: Intent,
): Promise<RepeatedCall | undefined> {
  const asked = await gate.storage.read.findConnectorRequestOf(intent.id);
  if (!asked) return undefined;
  const tool = await getTool(gate, intent.projectId, asked.toolName);
  assertArguments(gate, tool, intent.params);
  // A person who asks in the requester's place is not the one who comes back.
  const credentialId = caller.kind === 'session' ? asked.credentialId : caller.credentialId;
  return {
    riskTier: higherTier(intent.requestedRiskTier, tool.riskTier),
    attached: {
      usedBy: null,
      outcomeOf: () => null,
      async settle(tx, made) {
        const state = made.status === 'denied' ? 'refused' : 'pending';
        const request = { ...newRequest(gate, caller, made, tool), credentialId, state } as const;
        if (!(await tx.insertConnectorRequest(request))) throw new StaleReadError();
      },
      recordOutcome: async () => {},
    },
  };
}
