import type { Caller } from '../access/caller.ts';
import { policyViolation } from '../intents/decision-refusals.ts';
import type { Intent } from '../intents/intent.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { readIntent } from '../intents/read.ts';
import type { GateError } from '../kernel/errors.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { GatewayAnswer } from './gateway-answer.ts';
import { OUTCOME_OF } from './run-tool.ts';
import type { ToolDeps } from './tool-deps.ts';

/**
 * Makes the answer for the request in its current state.
 *
 * @param known The intent at the time of the request, if this same call created it.
 * @throws GateError `policy_violation` for a request that policy denied when it was created
 */
export async function toAnswer(
  gate: ToolDeps,
  caller: Caller,
  request: ConnectorRequest,
  { known, replayed }: { known?: IntentView | undefined; replayed: boolean },
): Promise<GatewayAnswer> {
  const intent = known ? withOutcome(known, request) : await readIntent(gate, caller, request.intentId);
  const { state, result, message } = request;
  const common = { request, intent, replayed };
  switch (state) {
    case 'refused':
      throw deniedByPolicy(intent.intent);
    case 'pending':
    case 'executing':
      return { kind: state, ...common };
    case 'unknown':
      return { kind: state, message, ...common };
    case 'executed':
    case 'failed':
      return { kind: state, result, message, ...common };
  }
}

function withOutcome(view: IntentView, { state, settledAt }: ConnectorRequest): IntentView {
  if (state !== 'executed' && state !== 'failed' && state !== 'unknown') return view;
  return { ...view, intent: { ...view.intent, outcome: OUTCOME_OF[state], outcomeAt: settledAt } };
}

export function deniedByPolicy({ id, rule, reason }: Intent): GateError {
  return policyViolation(id, rule, reason);
}
