import * as words from './ui.words.ts';

/** Choices of a filter: one risk tier, or any. For `Select`. */
export const ANY_RISK = [
  { value: '', label: words.anyRisk },
  { value: 'low', label: words.lowRisk },
  { value: 'medium', label: words.mediumRisk },
  { value: 'high', label: words.highRisk },
  { value: 'critical', label: words.criticalRisk },
];
