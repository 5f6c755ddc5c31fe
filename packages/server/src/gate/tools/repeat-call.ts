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

/** The data that a tool call adds to the intent that resubmits it. */
export interface RepeatedCall {
  riskTier: RiskTier;
  attached: Attachment<ToolWrites>;
}

/**
 * Repeats the tool call of an intent for the intent that resubmits it, with the tool's current definition. Nothing runs
 * yet, even if policy allows the call: it runs when the requester comes back for it. Undefined for an intent without a
 * tool call.
 *
 * @throws GateError `not_found` for a tool that is no longer offered, `missing_fields` and `invalid_fields` for
 * arguments that no longer fit it
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
  // The requester comes back for the call, even when a person resubmitted it.
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
