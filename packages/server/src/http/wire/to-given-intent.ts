import { SimulatedIntent } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import type { FieldProblem } from '../../gate/kernel/errors.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import type { GivenIntent } from '../../gate/policy-management/simulation/given-intent.ts';
import { toIntentRequest } from './to-intent-request.ts';

/** Converts an intent for a simulation to the gate's names. Omitted members stay omitted. */
export function toGivenIntent({
  action,
  params,
  metadata,
  source_type,
  agent_id,
  at,
  ...asked
}: Static<typeof SimulatedIntent>): GivenIntent {
  return {
    ...toIntentRequest(action, params, asked),
    ...onlyGiven({ metadata, sourceType: source_type, agentId: agent_id, at }),
  };
}

/** Converts an intent that did not come in a request, after validating it by the same schema. */
export function readGivenIntent(value: unknown): GivenIntent | { problems: readonly FieldProblem[] } {
  if (Check(SimulatedIntent, value)) return toGivenIntent(value);
  return {
    problems: Errors(SimulatedIntent, value)[1].map(({ instancePath, message }) => ({
      path: instancePath,
      message,
    })),
  };
}
