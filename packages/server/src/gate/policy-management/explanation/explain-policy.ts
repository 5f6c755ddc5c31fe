import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../../access/assert-scope.ts';
import type { Caller } from '../../access/caller.ts';
import { toPolicyRequest } from '../../intents/policy-request.ts';
import { GateError } from '../../kernel/errors.ts';
import { invalidFields } from '../../kernel/invalid-fields.ts';
import { unknownIntent, unknownProject } from '../../kernel/not-found.ts';
import type { PolicyRequest } from '../../policy/outcome.ts';
import { parsePolicy } from '../../policy/policy.ts';
import type { PolicyDeps } from '../policy-deps.ts';
import { type GivenIntent, toGivenRequests } from '../simulation/given-intent.ts';
import { explainOutcome, type OutcomeExplanation } from './explain-outcome.ts';

export interface ExplanationInput {
  projectId: string;
  /** Default: the active policy. */
  document?: JsonObject;
  /** A sample intent, or an existing one as of its creation, but with its agent as registered now. */
  about: { given: GivenIntent } | { intentId: string };
}

export interface PolicyExplanation extends OutcomeExplanation {
  /** "sha256:…" of the evaluated policy. */
  policyHash: string;
  /** The request that was evaluated. */
  request: PolicyRequest;
}

/**
 * Explains the verdict of each rule on one intent, and the reason for the outcome. Changes and records nothing.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields` (paths into the policy start with `/policy`),
 * `intent_not_found`, `conflict` for an intent whose texts were erased
 */
export async function explainPolicy(
  gate: Pick<PolicyDeps, 'clock' | 'storage'>,
  caller: Caller,
  input: ExplanationInput,
): Promise<PolicyExplanation> {
  const { projectId, about } = input;
  assertScope(caller, 'policies:simulate', projectId);
  const document = input.document ?? (await gate.storage.read.findPolicy(projectId))?.document;
  if (!document) throw unknownProject();
  const parsed = parsePolicy(document);
  if (!parsed.ok) {
    throw invalidFields(...parsed.problems.map(({ path, message }) => ({ path: `/policy${path}`, message })));
  }
  const request =
    'given' in about
      ? await toGivenRequest(gate, projectId, about.given)
      : await toPastRequest(gate, projectId, about.intentId);
  return { policyHash: parsed.policy.hash, request, ...explainOutcome(parsed.policy, request) };
}

async function toGivenRequest(
  gate: Pick<PolicyDeps, 'clock' | 'storage'>,
  projectId: string,
  given: GivenIntent,
): Promise<PolicyRequest> {
  const [request] = await toGivenRequests(gate, projectId, [given], () => '/intent');
  if (!request) throw new Error('one intent was given, and none is asked about');
  return request;
}

async function toPastRequest(
  gate: Pick<PolicyDeps, 'storage'>,
  projectId: string,
  intentId: string,
): Promise<PolicyRequest> {
  const { read } = gate.storage;
  const intent = await read.findIntent(intentId);
  if (!intent || intent.projectId !== projectId) {
    throw unknownIntent();
  }
  if (intent.erasedAt !== null) {
    const message = 'Texts of this request were erased, so the policy can no longer be evaluated for it.';
    throw new GateError('conflict', message, {});
  }
  const agent = intent.agentId === null ? null : ((await read.findAgent(projectId, intent.agentId)) ?? null);
  return toPolicyRequest(intent, agent, intent.createdAt);
}
