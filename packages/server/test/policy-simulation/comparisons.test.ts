/** The cases of comparisons.yaml, and properties of any two policies and any requests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, ProofTier, RiskTier } from '@permitry/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { evaluatePolicy } from '../../src/gate/policy/evaluate.ts';
import type { PolicyRequest } from '../../src/gate/policy/outcome.ts';
import { compareOutcomes } from '../../src/gate/policy-management/comparison/compare-outcomes.ts';
import {
  DifferenceTally,
  MOST_GROUPS,
} from '../../src/gate/policy-management/comparison/difference-tally.ts';
import { runSimulation } from '../../src/gate/policy-management/simulation/run-simulation.ts';
import type {
  SimulationReader,
  SimulationResult,
} from '../../src/gate/policy-management/simulation/simulation-job.ts';
import { compiled, count, naiveChanges, sentence } from './naive-simulation.ts';

interface Comparison {
  name: string;
  in_force: JsonObject[];
  draft: JsonObject[];
  draft_default?: JsonObject;
  input: { action: string; params?: JsonObject; risk_tier?: RiskTier; proof_tier?: ProofTier };
  change: { from: string[]; to: string[]; direction: string; terms: string[] } | null;
  failed?: string[];
}

const DEFAULT = { approvers: ['role:approver'], min_approvals: 1 };
const document = (rules: JsonObject[], fallback: JsonObject = DEFAULT): JsonObject => ({
  name: 'case',
  default: fallback,
  rules,
});

function requestOf({ action, params = {}, risk_tier, proof_tier }: Comparison['input']): PolicyRequest {
  return {
    action,
    params,
    metadata: {},
    source: null,
    sourceType: 'service',
    riskTier: risk_tier ?? 'low',
    proofTier: proof_tier ?? 'none',
    agent: null,
    approvers: [],
    minApprovals: null,
    now: '2026-11-20T12:00:00.000Z',
  };
}

const cases = parse(readFileSync(join(import.meta.dirname, 'comparisons.yaml'), 'utf8')) as Comparison[];

describe('comparisons.yaml', () => {
  test.each(cases.map((comparison) => [comparison.name, comparison] as const))('%s', (_name, comparison) => {
    const request = requestOf(comparison.input);
    const before = evaluatePolicy(compiled(document(comparison.in_force)), request);
    const after = evaluatePolicy(compiled(document(comparison.draft, comparison.draft_default)), request);
    const change = compareOutcomes(before, after);
    expect(
      change ? { from: [before.effect, before.rule], to: [after.effect, after.rule], ...change } : null,
    ).toEqual(comparison.change);
    expect(after.failures.map(({ rule }) => rule)).toEqual(comparison.failed ?? []);
  });
});

const rule = fc.record(
  {
    match: fc.record({ action: fc.constantFrom('a', 'b', '*', 'a|b') }),
    when: fc.constantFrom('params.n < 3', 'params.n > 1', 'params.s == "x"', 'true'),
    effect: fc.constantFrom('allow', 'require_approval', 'deny'),
    risk_tier: fc.constantFrom('medium', 'high'),
    permit_ttl: fc.constantFrom(60, 300, 600),
    expires_in: fc.constantFrom(60, 3600),
  },
  { requiredKeys: ['match', 'effect'] },
);
const policy = fc
  .array(rule, { maxLength: 5 })
  .map((rules) => document(rules.map((members, index) => ({ name: `r${index}`, ...members }))));
const asked = fc
  .record({
    action: fc.constantFrom('a', 'b', 'c'),
    params: fc.record(
      { n: fc.integer({ min: 0, max: 4 }), s: fc.constantFrom('x', 'y') },
      { requiredKeys: [] },
    ),
    risk_tier: fc.constantFrom<RiskTier>('low', 'high'),
  })
  .map(requestOf);

/** A simulation of given requests reads nothing. */
const NO_READER: SimulationReader = {
  countPastIntents: () => Promise.reject(new Error('nothing is to be read')),
  listPastIntents: () => Promise.reject(new Error('nothing is to be read')),
  findAgent: () => Promise.reject(new Error('nothing is to be read')),
};

async function simulate(
  inForce: JsonObject,
  draft: JsonObject,
  requests: readonly PolicyRequest[],
): Promise<SimulationResult> {
  const against = { kind: 'given' as const, requests };
  const job = { projectId: 'prj', inForce, draft, against, timeLimitMs: 60_000 };
  for await (const report of runSimulation(NO_READER, job, () => 0)) {
    if (report.kind === 'finished') return report.result;
  }
  throw new Error('not finished');
}

describe('for any two policies and any requests', () => {
  test('groups and counts equal those of a recomputation one by one', async () => {
    await fc.assert(
      fc.asyncProperty(
        policy,
        policy,
        fc.array(asked, { maxLength: 40 }),
        async (inForce, draft, requests) => {
          const { changes, evaluated, outcomes, failures } = await simulate(inForce, draft, requests);
          const naive = naiveChanges(requests, compiled(inForce), compiled(draft));
          const found = changes.groups.map(
            (group) => [sentence(group.from, group.to, group.direction, group.terms), group] as const,
          );
          expect(Object.fromEntries(found.map(([name, group]) => [name, group.count]))).toEqual(count(naive));
          expect(new Set(found.map(([name]) => name)).size).toBe(found.length);
          expect(changes.changed).toBe(naive.length);
          const { stricter, looser, mixed } = changes.byDirection;
          expect(stricter + looser + mixed).toBe(naive.length);
          expect(evaluated).toBe(requests.length);
          for (const side of [outcomes.inForce, outcomes.draft]) {
            expect(side.allow + side.require_approval + side.deny).toBe(requests.length);
          }
          const failed = requests.flatMap((request) =>
            evaluatePolicy(compiled(draft), request).failures.map(({ rule: name }) => name),
          );
          const counted = failures.filter(({ side }) => side === 'draft');
          expect(Object.fromEntries(counted.map((failure) => [failure.rule, failure.count]))).toEqual(
            count(failed),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('each sample of a group has the change of its group', async () => {
    await fc.assert(
      fc.asyncProperty(
        policy,
        policy,
        fc.array(asked, { maxLength: 30 }),
        async (inForce, draft, requests) => {
          const { changes } = await simulate(inForce, draft, requests);
          for (const group of changes.groups) {
            expect(group.samples.length).toBe(Math.min(10, group.count));
            for (const sample of group.samples) {
              const request = requests[Number(sample.replace('/intents/', ''))];
              if (!request) throw new Error(sample);
              expect(naiveChanges([request], compiled(inForce), compiled(draft))).toEqual([
                sentence(group.from, group.to, group.direction, group.terms),
              ]);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('the reverse comparison gives the opposite, and a policy does not differ from itself', () => {
    const opposite = { stricter: 'looser', looser: 'stricter', mixed: 'mixed' };
    fc.assert(
      fc.property(policy, policy, asked, (one, other, request) => {
        const [before, after] = [one, other].map((side) => evaluatePolicy(compiled(side), request));
        if (!before || !after) throw new Error('two outcomes');
        const there = compareOutcomes(before, after);
        const back = compareOutcomes(after, before);
        expect(back?.direction).toBe(there && opposite[there.direction]);
        expect(back?.terms).toEqual(there?.terms);
        expect(compareOutcomes(before, before)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});

test('a tally keeps a limited number of groups, and counts the rest', () => {
  const tally = new DifferenceTally();
  for (let index = 0; index < MOST_GROUPS + 20; index++) {
    tally.add(
      { effect: 'allow', rule: `rule ${index}` },
      { effect: 'deny', rule: null },
      { direction: 'stricter', terms: [] },
      `int_${index}`,
    );
  }
  const { groups, ungrouped, changed } = tally.result();
  expect(groups).toHaveLength(MOST_GROUPS);
  expect({ ungrouped, changed }).toEqual({ ungrouped: 20, changed: MOST_GROUPS + 20 });
});
