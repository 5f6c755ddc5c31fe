/** The inbox in order of expiry and of risk: one walk for each risk of a project, over pending requests alone. */
export const inboxOrder = `
create index intents_by_urgency on intents (project_key, risk_tier, expires_at, seq) where status = 'pending';
`;
