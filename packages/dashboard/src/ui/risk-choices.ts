/** The risk tiers as choices, for `Select`. */
import type { RiskTier } from './badge.tsx';
import * as words from './ui.words.ts';

// Ascending, as in the protocol, whose code is too large for the first load.
export const RISK_TIERS: readonly RiskTier[] = ['low', 'medium', 'high', 'critical'];

export const RISK_WORDS: Readonly<Record<RiskTier, string>> = {
  low: words.low,
  medium: words.medium,
  high: words.high,
  critical: words.critical,
};

export const RISK_CHOICES = RISK_TIERS.map((value) => ({ value, label: RISK_WORDS[value] }));

/** The lowest risk that a person wants to be notified about. */
export const LEAST_RISK: readonly { value: RiskTier; label: string }[] = [
  { value: 'low', label: words.allRisks },
  { value: 'medium', label: words.fromMediumRisk },
  { value: 'high', label: words.fromHighRisk },
  { value: 'critical', label: words.onlyCriticalRisk },
];
