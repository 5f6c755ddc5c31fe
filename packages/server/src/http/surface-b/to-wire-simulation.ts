import type { JsonObject } from '@permitry/protocol';
import type { PolicyOutcome } from '../../gate/policy/outcome.ts';
import type { Differences } from '../../gate/policy-management/comparison/difference-tally.ts';
import type { Simulation } from '../../gate/policy-management/simulation/simulate-policy.ts';
import type {
  GivenOutcome,
  SimulationReport,
  SimulationResult,
} from '../../gate/policy-management/simulation/simulation-job.ts';

/** The first line of an answer about stored intents. */
export function toWireStart(simulation: Simulation): JsonObject {
  return { type: 'started', ...toWireHead(simulation) };
}

/** A further line of an answer about stored intents. */
export function toWireLine(simulation: Simulation, report: SimulationReport): JsonObject {
  if (report.kind === 'progress') {
    const { scanned, total, evaluated, changed } = report;
    return { type: 'progress', scanned, total, evaluated, changed };
  }
  const { sinceMade, became } = report.result;
  return {
    type: 'summary',
    ...toWireSimulation(simulation, report.result),
    ...(sinceMade === null ? {} : { since_made: toWireDifferences(sinceMade) }),
    ...(became === null ? {} : { became: { ...became } }),
  };
}

/** The result that every simulation ends with. */
export function toWireSimulation(simulation: Simulation, result: SimulationResult): JsonObject {
  return {
    ...toWireHead(simulation),
    complete: result.complete,
    scanned: result.scanned,
    evaluated: result.evaluated,
    skipped: result.skipped,
    outcomes: { in_force: { ...result.outcomes.inForce }, draft: { ...result.outcomes.draft } },
    changes: toWireDifferences(result.changes),
    failures: result.failures.map(({ side, rule, message, count, samples }) => ({
      policy: side,
      rule,
      message,
      count,
      samples: [...samples],
    })),
    seconds: Math.round(result.seconds * 1000) / 1000,
  };
}

export function toWireOutcomes({ inForce, draft }: GivenOutcome): JsonObject {
  return { in_force: toWireOutcome(inForce), draft: toWireOutcome(draft) };
}

export function toWireOutcome(outcome: PolicyOutcome) {
  return {
    effect: outcome.effect,
    rule: outcome.rule,
    reason: outcome.reason,
    requirement: outcome.requirement.map(({ from, count, programs, orNamed }) => ({
      from: [...from],
      count,
      ...(programs === undefined ? {} : { programs }),
      ...(orNamed === undefined ? {} : { or_named: [...orNamed] }),
    })),
    risk_tier: outcome.riskTier,
    proof_tier: outcome.proofTier,
    expires_in: outcome.expiresInSeconds,
    permit_ttl: outcome.permitTtlSeconds,
    failed_conditions: outcome.failures.map(({ rule }) => rule),
  };
}

function toWireHead({ inForce, draft, warnings }: Simulation): JsonObject {
  return {
    in_force: { version: inForce.version, hash: inForce.hash },
    draft: { hash: draft.hash },
    warnings: warnings.map(({ path, message }) => ({ path, message })),
  };
}

function toWireDifferences({ changed, byDirection, groups, ungrouped }: Differences): JsonObject {
  return {
    changed,
    ...byDirection,
    groups: groups.map(({ from, to, direction, terms, count, samples }) => ({
      from: { effect: from.effect, rule: from.rule },
      to: { effect: to.effect, rule: to.rule },
      direction,
      terms: [...terms],
      count,
      samples: [...samples],
    })),
    ungrouped,
  };
}
