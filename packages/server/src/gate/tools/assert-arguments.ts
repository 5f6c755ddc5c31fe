import type { JsonObject } from '@permitry/protocol';
import { GateError } from '../kernel/errors.ts';
import type { Tool } from './connectors.ts';
import type { ToolDeps } from './tool-deps.ts';
import { toolHash } from './tool-hash.ts';

/** @throws GateError `missing_fields`, `invalid_fields` for arguments that do not fit the tool */
export function assertArguments(gate: Pick<ToolDeps, 'tools'>, tool: Tool, given: JsonObject): void {
  const problems = gate.tools.argumentChecker.check(tool.inputSchema, toolHash(tool), given);
  if (problems.length === 0) return;
  const fields = problems.map(({ path, message }) => ({ path, message }));
  const sentences = fields.map(({ path, message }) => `${path.slice(1)}: ${message}`);
  throw new GateError(
    problems.some(({ missing }) => missing) ? 'missing_fields' : 'invalid_fields',
    `The arguments do not fit the tool ${tool.name}: ${sentences.join('; ')}.`,
    { fields },
  );
}
