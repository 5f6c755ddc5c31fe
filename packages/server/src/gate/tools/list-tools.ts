import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { Gate } from '../kernel/gate.ts';
import type { Tool } from './connectors.ts';
import { getProgram } from './program.ts';

/** The tools that may be asked for in the caller's project, by name. */
export async function listTools(gate: Gate, caller: Caller): Promise<readonly Tool[]> {
  const program = getProgram(caller);
  assertScope(program, 'intents:create', program.projectId);
  return gate.tools.connectors.list(gate, program.projectId);
}
