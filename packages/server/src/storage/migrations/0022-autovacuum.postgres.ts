/**
 * Autovacuum for tables that only grow. Rows are frozen by the first vacuum that reads them, so the one against
 * wraparound finds little left to do, however large the table is. Statistics are renewed after a hundredth more rows
 * instead of a tenth: that reads a sample of the same size each time.
 */
const GROWING = `
  autovacuum_freeze_min_age = 0,
  autovacuum_analyze_scale_factor = 0.01,
  autovacuum_analyze_threshold = 1000`;

/**
 * Rows are hardly ever changed or deleted, so a vacuum reads the new pages and no index. It comes after so many rows
 * instead of a fifth of the table.
 */
const WRITTEN_ONCE = `${GROWING},
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 100000`;

export const autovacuum = `
alter table intents set (${GROWING});
alter table events set (${GROWING});
alter table connector_requests set (${GROWING});
alter table approvals set (${WRITTEN_ONCE});
alter table issued set (${WRITTEN_ONCE});
alter table superseded_permits set (${WRITTEN_ONCE});
alter table seals set (${WRITTEN_ONCE});
alter table erased_receipts set (${WRITTEN_ONCE});
`;
