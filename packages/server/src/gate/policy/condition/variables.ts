import type { PolicyRequest } from '../outcome.ts';
import { Subject } from './evaluation.ts';
import type { Value } from './value.ts';

/** The variables of a condition and their static types. `source` is a string or null; `agent` is a map or null. */
export const VARIABLE_TYPES = {
  action: 'string',
  params: 'map<string, dyn>',
  source: 'dyn',
  source_type: 'string',
  risk_tier: 'string',
  proof_tier: 'string',
  agent: 'dyn',
  metadata: 'map<string, dyn>',
  now: 'google.protobuf.Timestamp',
} as const;
export type VariableName = keyof typeof VARIABLE_TYPES;

/** Members of `agent`. Reading any other member is a mistake by the author. */
export const AGENT_PROPERTIES: ReadonlySet<string> = new Set(['id', 'name', 'risk_tier', 'labels']);

export function isVariableName(name: string): name is VariableName {
  return Object.hasOwn(VARIABLE_TYPES, name);
}

/** The request as conditions see it. Nothing is copied, because evaluation only reads. */
export function toSubject(request: PolicyRequest): Subject {
  const { agent } = request;
  const variables: Record<VariableName, Value> = {
    action: request.action,
    params: request.params,
    source: request.source,
    source_type: request.sourceType,
    risk_tier: request.riskTier,
    proof_tier: request.proofTier,
    agent: agent && { id: agent.id, name: agent.name, risk_tier: agent.riskTier, labels: agent.labels },
    metadata: request.metadata,
    now: new Date(request.now),
  };
  return new Subject(variables);
}
