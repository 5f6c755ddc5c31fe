/** What status lists are read along: receipts taken back, agents held, and whose each receipt is. */
export const receiptStatus = `
create index intents_revoked on intents (receipt_index) where revoked_at is not null;
create index intents_by_receipt on intents (receipt_index, agent_key) where receipt_index is not null;
create index agents_by_status on agents (status);
`;
