/** Recomputes what a simulation must find, in the plainest way possible. */
import type { JsonObject } from '@permitry/protocol';
import type { Intent } from '../../src/gate/intents/intent.ts';
import { toPolicyRequest } from '../../src/gate/intents/policy-request.ts';
import { evaluatePolicy } from '../../src/gate/policy/evaluate.ts';
import type { PolicyRequest } from '../../src/gate/policy/outcome.ts';
import { type CompiledPolicy, parsePolicy } from '../../src/gate/policy/policy.ts';
import { compareOutcomes } from '../../src/gate/policy-management/comparison/compare-outcomes.ts';
import type { Reader } from '../../src/storage/nouns.ts';

export function compiled(document: JsonObject): CompiledPolicy {
  const parsed = parsePolicy(document);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

/** How often each difference, written as a sentence, was found. */
export type Counted = Record<string, number>;

export function count(sentences: readonly string[]): Counted {
  const counted: Counted = {};
  for (const sentence of sentences) counted[sentence] = (counted[sentence] ?? 0) + 1;
  return counted;
}

interface Side {
  effect: string;
  rule: string | null;
}

export function sentence(from: Side, to: Side, direction: string, terms: readonly string[]): string {
  return `${from.effect} by ${from.rule} -> ${to.effect} by ${to.rule}: ${direction} ${terms.join('+')}`;
}

/** One sentence for every request whose outcome changes. */
export function naiveChanges(
  requests: readonly PolicyRequest[],
  inForce: CompiledPolicy,
  draft: CompiledPolicy,
): string[] {
  return requests.flatMap((request) => {
    const before = evaluatePolicy(inForce, request);
    const after = evaluatePolicy(draft, request);
    const change = compareOutcomes(before, after);
    return change ? [sentence(before, after, change.direction, change.terms)] : [];
  });
}

/** Every intent of the project, as input for another evaluation. */
export async function allRequests(reader: Reader, projectId: string): Promise<PolicyRequest[]> {
  const requests: PolicyRequest[] = [];
  let beforeId: string | undefined;
  for (;;) {
    const page: readonly Intent[] = await reader.listWholeIntents({
      projectIds: [projectId],
      limit: 50,
      ...(beforeId === undefined ? {} : { beforeId }),
    });
    for (const intent of page) {
      const agent = intent.agentId === null ? null : await reader.findAgent(projectId, intent.agentId);
      requests.push(toPolicyRequest(intent, agent ?? null, intent.createdAt));
    }
    beforeId = page.at(-1)?.id;
    if (beforeId === undefined) return requests;
  }
}
