import { GateError } from '../kernel/errors.ts';
import type { Tool } from './connectors.ts';
import type { ToolDeps } from './tool-deps.ts';

/** @throws GateError `not_found` */
export async function getTool(
  gate: Pick<ToolDeps, 'clock' | 'tools'>,
  projectId: string,
  name: string,
): Promise<Tool> {
  const tool = await gate.tools.connectors.find(projectId, name);
  if (tool) return tool;
  throw new GateError('not_found', 'There is no such tool at the moment. List the available tools.', {});
}
