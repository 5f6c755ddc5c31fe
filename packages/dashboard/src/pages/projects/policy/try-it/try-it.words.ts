/** Texts of the policy test: one request, sample or past, against the policy. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../../ui/format.ts';
import { say } from '../../../../ui/say.ts';

export const draftHasProblems = 'Fix the problems in the draft to test it.';
export const request = 'Request';
export const testsDraft = 'Tests your draft, not the active policy.';
export const testsActive = 'Tests the active policy.';
export const source = {
  legend: 'Request to test',
  sample: 'Sample',
  past: 'Past request',
} as const;
export const test = 'Test policy';
export const notTested = 'The policy could not be tested.';

export const searchPast = 'Search past requests';
export const noMatch = 'No matching requests';

export const fields = {
  action: 'Action',
  parameters: 'Parameters',
  requester: 'Requester and other details',
  agent: 'Agent',
  noAgent: 'None (a service)',
  source: 'Source',
  type: 'Self-reported type',
  risk: 'Requested risk',
  proof: 'Requested proof of presence',
  metadata: 'Metadata',
  notSet: 'Not set',
} as const;
export const types = {
  ai_agent: 'AI agent',
  service: 'Service',
  ci: 'CI job',
  script: 'Script',
  human: 'Person',
  other: 'Other',
} as const;
export const mustBeObject = 'Must be an object: { … }';

export const outcomes = {
  allow: 'The request would be allowed',
  require_approval: 'The request would be sent for review',
  deny: 'The request would be denied',
} as const;
export const evaluated = (action: ReactNode, risk: string, proof: string) =>
  say`Action ${action} · Risk: ${risk} · Proof of presence: ${proof}`;
export const editSample = 'Edit and test again';
export const byRule = 'Results by rule';
export const noRules = 'This policy has no rules.';
/** The part of a rule in the outcome. */
export const parts = {
  decides: 'Decisive',
  adds: 'Also applies',
  outweighed: 'Overridden',
  nothing: 'No match',
} as const;
export const evaluatedWith = 'Evaluated with';
export const absent = 'absent';
export const cut = (start: string, length: number) => `${start}… (${formatCount(length)} characters)`;

export const matches = 'Matches';
export const mismatches = {
  action: 'Different action',
  risk_tier: 'Different requested risk',
  source_type: 'Different self-reported type',
  source: 'Different source',
  condition: 'The condition is false',
} as const;
export const allowFailed = (failure: string) =>
  `The condition could not be evaluated: ${failure}. The rule does not apply, because an allow rule applies only if its condition is true.`;
export const strictFailed = (failure: string) =>
  `The condition could not be evaluated: ${failure}. The rule applies, because an error can only make the decision stricter.`;

export const and = 'and';
export const denies = (rules: string, count: number) => `${rules} ${count > 1 ? 'deny' : 'denies'} it.`;
export const deniesOverAll = (rules: string, count: number) =>
  `${rules} ${count > 1 ? 'deny' : 'denies'} it, which overrides every other effect.`;
export const allows = (rules: string, count: number) =>
  `${rules} ${count > 1 ? 'allow' : 'allows'} it, and no rule denies it or requires approval.`;
export const requiresApproval = (rules: string, count: number) =>
  `${rules} ${count > 1 ? 'require' : 'requires'} approval.`;
export const requiresApprovalOverAllow = (rules: string, count: number) =>
  `${rules} ${count > 1 ? 'require' : 'requires'} approval, which overrides rules that allow.`;
export const noRuleMatches = 'No rule matches, so the default requires approval.';
export const proofNeedsPerson = 'A rule allows it, but the required proof of presence needs a person.';
export const requestNamesApprovers =
  'A rule allows it, but the request itself names approvers or a number of approvals.';
