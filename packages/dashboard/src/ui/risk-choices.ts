/** The risk tiers as choices, for `Select`. */
import type { RiskTier } from './badge.tsx';

// Ascending, as in the protocol, whose code is too large for the first load.
export const RISK_TIERS: readonly RiskTier[] = ['low', 'medium', 'high', 'critical'];

/** For filters: one tier, or any. */
export const ANY_RISK = [
  { value: '', label: 'Any risk' },
  { value: 'low', label: 'Low risk' },
  { value: 'medium', label: 'Medium risk' },
  { value: 'high', label: 'High risk' },
  { value: 'critical', label: 'Critical risk' },
];

/** The lowest risk that a person wants to be notified about. */
export const LEAST_RISK: readonly { value: RiskTier; label: string }[] = [
  { value: 'low', label: 'Whatever its risk' },
  { value: 'medium', label: 'Medium risk and above' },
  { value: 'high', label: 'High risk and above' },
  { value: 'critical', label: 'Critical risk only' },
];
