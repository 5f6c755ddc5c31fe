/** Texts of the policy editor: rules as cards, the JSON beside them, and the forms for both. */
import type { RiskTier } from '../../../../ui/badge.tsx';

export const views = {
  legend: 'View policy as',
  rules: 'Rules',
  json: 'JSON',
} as const;
export const loading = 'Loading the editor';
export const policyJson = 'Policy as JSON';
export const notShownAsRules =
  'The JSON can’t be shown as rules at the moment. Correct it to see the rules again.';

export const unnamed = 'Unnamed rule';
export const edit = 'Edit';
export const showInJson = 'Show in JSON';
export const removeRule = (name: string) => `Remove rule ${name}`;
export const addRule = 'Add rule';
export const byDefault = 'Default';
export const noNarrowing = 'Requests can’t choose among the required approvers.';

export const findings = 'Problems and warnings';
export const problemAt = (line: number, column: number) => `Problem, line ${line}, column ${column}`;
export const warningAt = (line: number, column: number) => `Warning, line ${line}, column ${column}`;

export const saveToDraft = 'Save to draft';
export const newRule = 'New rule';
export const editRule = (name: string) => `Edit rule ${name}`;
export const editDefault = 'Edit default';

export const name = {
  label: 'Name',
  hint: 'Its decisions are recorded as policy:NAME, e.g. policy:small refunds.',
  missing: 'Enter a name.',
  taken: 'Another rule already has this name.',
} as const;
export const effect = 'Effect';
export const actions = {
  label: 'Actions',
  hint: 'Names, or a prefix followed by *. Separate several with |, e.g. payments.* | deploy.production',
  missing: 'Enter actions or a condition. * matches every action.',
} as const;
export const condition = {
  label: 'Condition',
  hint: 'A CEL expression over action, params, source, source_type, risk_tier, proof_tier, agent, metadata and now, e.g. params.amount > 5000.0',
} as const;
export const reason = {
  label: 'Reason',
  hint: 'Shown to the requester.',
} as const;

export const approvals = {
  legend: 'Required approvals',
  none: 'None set. The approvals of the default apply.',
  count: 'Approvals',
  from: 'From',
  fromHint: 'Groups, email addresses, role:approver, role:admin or role:owner, separated by commas',
  fromMissing: 'Enter at least one approver.',
  add: 'Add approvers',
  addMore: 'Require more approvals',
  remove: (number: number) => `Remove entry ${number}`,
  orNamed: 'Or members of these groups, if the request names them',
  orNamedHint: 'Group names, separated by commas',
  programs: 'Programs can approve',
  programsHint: 'In live mode: secret keys and access tokens.',
} as const;

export const limits = {
  title: 'Limits and requester',
  asRequested: 'As requested',
  risk: 'Risk',
  atLeast: (tier: RiskTier) => `At least ${tier}`,
  proof: 'Proof of presence',
  timeToDecide: 'Time to decide (seconds)',
  timeToDecideHint: '1 to 2592000 (30 days)',
  permitLifetime: 'Permit lifetime (seconds)',
  permitLifetimeHint: '10 to 3600 (1 hour)',
  onlyRisk: 'Only for requested risk',
  onlyTypes: 'Only for self-reported types',
  onlySources: 'Only for sources named',
  onlySourcesHint: 'Names, or a prefix followed by *. Separate several with |',
} as const;
