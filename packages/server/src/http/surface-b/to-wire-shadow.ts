import type { ShadowDivergencesSchema, ShadowPolicySchema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { ShadowReport } from '../../gate/policy-management/shadow/read-shadow.ts';
import type { ShadowPolicy } from '../../gate/policy-management/shadow/shadow-policy.ts';

export function toWireShadow(shadow: ShadowPolicy): Static<typeof ShadowPolicySchema> {
  return {
    id: shadow.hash,
    hash: shadow.hash,
    policy: shadow.document,
    since: shadow.since,
    created_by: shadow.createdBy,
    evaluated: shadow.evaluated,
    diverged: shadow.diverged,
  };
}

export function toWireDivergences(report: ShadowReport): Static<typeof ShadowDivergencesSchema> {
  const { shadow, groups, failures, divergences } = report;
  return {
    hash: shadow.hash,
    since: shadow.since,
    evaluated: shadow.evaluated,
    diverged: shadow.diverged,
    groups: groups.map(({ from, to, direction, terms, count }) => ({
      in_force: from,
      shadow: to,
      direction,
      terms: [...terms],
      count,
    })),
    failures: failures.map(({ rule, count }) => ({ rule, count })),
    data: divergences.items.map(({ intentId, at, inForce, shadow: said, direction, terms }) => ({
      intent_id: intentId,
      at,
      in_force: inForce,
      shadow: said,
      direction,
      terms: [...terms],
    })),
    next_cursor: divergences.nextCursor,
  };
}
