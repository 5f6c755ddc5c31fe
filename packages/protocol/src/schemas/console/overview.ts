/** A summary of a project for the dashboard. */
import Type from 'typebox';
import { RISK_TIERS } from '../../vocabulary.ts';
import { Nullable, StrictObject } from '../forms.ts';

const TALLY = {
  intents: Type.Integer(),
  auto_approved: Type.Integer(),
  auto_denied: Type.Integer(),
  /** Sent for review. The difference to the sum of the next three is pending. */
  asked: Type.Integer(),
  approved: Type.Integer(),
  denied: Type.Integer(),
  expired: Type.Integer(),
};

function Largest<T extends Type.TSchema>(item: T) {
  return StrictObject({ top: Type.Array(item), others: Type.Integer() });
}

export const ProjectOverview = StrictObject({
  from: Type.String(),
  computed_at: Type.String(),
  /** All requests pending review now. */
  pending: Type.Integer(),
  /** Every day of the period in UTC, oldest first. The counts are exact. */
  days: Type.Array(
    StrictObject({
      day: Type.String(),
      pending: Type.Integer(),
      approved: Type.Integer(),
      denied: Type.Integer(),
      expired: Type.Integer(),
    }),
  ),
  /** The sample behind the remaining figures: the newest intents of the period. */
  sample: StrictObject({
    intents: Type.Integer(),
    since: Nullable(Type.String()),
    complete: Type.Boolean(),
  }),
  totals: StrictObject(TALLY),
  time_to_decision: StrictObject({
    decided: Type.Integer(),
    median_seconds: Nullable(Type.Number()),
    p95_seconds: Nullable(Type.Number()),
  }),
  by_rule: Largest(StrictObject({ rule: Nullable(Type.String()), ...TALLY })),
  by_person: Largest(
    StrictObject({ person: Type.String(), approvals: Type.Integer(), denials: Type.Integer() }),
  ),
  by_requester: Largest(
    StrictObject({
      type: Type.Enum(['agent', 'key']),
      id: Type.String(),
      display: Type.String(),
      ...TALLY,
    }),
  ),
  expiring: StrictObject({
    data: Type.Array(
      StrictObject({
        id: Type.String(),
        action: Type.String(),
        risk_tier: Type.Enum([...RISK_TIERS]),
        expires_at: Type.String(),
        approvals_received: Type.Integer(),
        approvals_required: Type.Integer(),
      }),
    ),
    complete: Type.Boolean(),
  }),
});
