import type { AgentCaller, Caller, SecretCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';

/** Tools are called by whoever may ask for approval: an agent, or a service. */
export function getProgram(caller: Caller): AgentCaller | SecretCaller {
  if (caller.kind === 'agent' || caller.kind === 'secret') return caller;
  throw new GateError('forbidden', 'Tools are called with an agent key or a secret key.', {
    required: 'intents:create',
  });
}
