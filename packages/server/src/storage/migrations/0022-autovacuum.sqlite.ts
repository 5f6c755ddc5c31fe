/** SQLite has no vacuum that runs by itself; the number is used so that both databases have the same schema version. */
export const autovacuum = `
-- Nothing to change.
`;
