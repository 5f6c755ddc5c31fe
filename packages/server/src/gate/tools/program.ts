import type { AgentCaller, Caller, SecretCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';

/** Returns the caller if it may call tools: only agents and services may, because they may request approval. */
export function getProgram(caller: Caller): AgentCaller | SecretCaller {
  if (caller.kind === 'agent' || caller.kind === 'secret') return caller;
  throw new GateError('forbidden', 'Tools are called with an agent key or a secret key.', {
    required: 'intents:create',
  });
}
