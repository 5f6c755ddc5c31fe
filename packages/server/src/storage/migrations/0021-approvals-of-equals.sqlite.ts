/** The last approval that people gave of the same action with the same parameters: one step in an index of those alone. */
export const approvalsOfEquals = `
create index intents_by_approval on intents (project_key, action, params_hash, approved_at)
  where status = 'approved' and decision = 'require_approval';
`;
