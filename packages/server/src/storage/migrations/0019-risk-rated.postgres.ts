/**
 * Whether somebody rated the risk of a request, or it is low because nobody did. Of older requests that are low, nobody
 * can tell.
 */
export const riskRated = `
alter table intents add column risk_rated bigint not null default 0;
`;
