/** The risk tiers as people choose among them; for `Select`. */
import type { RiskTier } from './badge.tsx';

// As the protocol lists them, ascending; its code is not for the first load.
export const RISK_TIERS: readonly RiskTier[] = ['low', 'medium', 'high', 'critical'];

/** For filters: one of them, or any. */
export const ANY_RISK = [
  { value: '', label: 'Any risk' },
  { value: 'low', label: 'Low risk' },
  { value: 'medium', label: 'Medium risk' },
  { value: 'high', label: 'High risk' },
  { value: 'critical', label: 'Critical risk' },
];

/** From which one on somebody wants to hear. */
export const LEAST_RISK: readonly { value: RiskTier; label: string }[] = [
  { value: 'low', label: 'Whatever its risk' },
  { value: 'medium', label: 'Medium risk and above' },
  { value: 'high', label: 'High risk and above' },
  { value: 'critical', label: 'Critical risk only' },
];
