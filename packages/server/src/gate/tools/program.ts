import type { AgentCaller, Caller, SecretCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';

/** Only agents and services, which may request approval, call tools. */
export function getProgram(caller: Caller): AgentCaller | SecretCaller {
  if (caller.kind === 'agent' || caller.kind === 'secret') return caller;
  throw new GateError('forbidden', 'Tools are called with an agent key or a secret key.', {
    required: 'intents:create',
  });
}
