import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { Tool } from './connectors.ts';
import { getProgram } from './program.ts';
import type { ToolDeps } from './tool-deps.ts';

/** Lists, by name, the tools that may be requested in the caller's project. */
export async function listTools(
  gate: Pick<ToolDeps, 'clock' | 'tools'>,
  caller: Caller,
): Promise<readonly Tool[]> {
  const program = getProgram(caller);
  assertScope(program, 'intents:create', program.projectId);
  return gate.tools.connectors.list(program.projectId);
}
