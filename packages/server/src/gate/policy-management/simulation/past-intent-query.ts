import { INTENT_STATUSES } from '@permitry/protocol';
import { invalidFields } from '../../kernel/invalid-fields.ts';
import { onlyGiven } from '../../kernel/only-given.ts';
import { parseInstant } from '../../kernel/parse-instant.ts';
import { parseNamePatterns } from '../../policy/name-pattern.ts';
import type { PastIntentFilter } from './simulation-job.ts';

/** The query as received. An omitted member matches everything. */
export interface PastIntentQuery {
  /** Inclusive. ISO 8601. */
  from?: string;
  /** Exclusive. ISO 8601. */
  to?: string;
  /** A pattern as in `match.action` of a rule. */
  action?: string;
  status?: string;
  /** The maximum number of matching intents, latest first. */
  limit?: number;
}

/** @throws GateError `invalid_fields` */
export function toPastIntentFilter(query: PastIntentQuery): PastIntentFilter {
  const { action, limit } = query;
  const status = [...INTENT_STATUSES, 'resolved' as const].find((known) => known === query.status);
  const patterns = action === undefined ? undefined : parseNamePatterns(action);
  if (patterns && 'problem' in patterns) {
    throw invalidFields({ path: '/stored/action', message: patterns.problem });
  }
  if (query.status !== undefined && status === undefined) {
    throw invalidFields({
      path: '/stored/status',
      message: `Must be one of ${INTENT_STATUSES.join(', ')}, resolved.`,
    });
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw invalidFields({ path: '/stored/limit', message: 'Must be an integer from 1.' });
  }
  const from = parseInstant('/stored/from', query.from);
  const to = parseInstant('/stored/to', query.to);
  return onlyGiven({ from, to, action, status, limit });
}
