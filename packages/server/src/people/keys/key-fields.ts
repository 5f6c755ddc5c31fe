import type { FieldProblem } from '../../gate/kernel/errors.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { LABEL_RULE, toLabel } from '../../gate/kernel/label.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
const MAX_RATE_LIMIT = 1_000_000;

export interface KeyFields {
  name: string;
  /** ISO 8601 in UTC, in the future. Null or missing: until revoked. */
  expiresAt?: string | null;
  /** Null or missing: only the project's limit applies. */
  rateLimitPerMinute?: number | null;
}

/** Checks the fields that every kind of key shares. `more` are problems found elsewhere. Throws `invalid_fields`. */
export function checkKeyFields(
  input: KeyFields,
  now: Instant,
  ...more: readonly (FieldProblem | false)[]
): Required<KeyFields> {
  const name = toLabel(input.name);
  const expiresAt = input.expiresAt == null ? null : toInstant(input.expiresAt);
  const rateLimitPerMinute = input.rateLimitPerMinute ?? null;
  const problems = [
    name === undefined && { path: '/name', message: LABEL_RULE },
    expiresAt === undefined && {
      path: '/expires_at',
      message: 'Must be an ISO 8601 timestamp in UTC, such as 2027-01-31T12:00:00Z.',
    },
    expiresAt != null && expiresAt <= now && { path: '/expires_at', message: 'Must be in the future.' },
    rateLimitPerMinute !== null &&
      !(
        Number.isInteger(rateLimitPerMinute) &&
        rateLimitPerMinute >= 1 &&
        rateLimitPerMinute <= MAX_RATE_LIMIT
      ) && {
        path: '/rate_limit_per_minute',
        message: `Must be an integer from 1 to ${MAX_RATE_LIMIT}.`,
      },
    ...more,
  ];
  if (name === undefined || expiresAt === undefined || problems.some((problem) => problem !== false))
    throw invalidFields(...problems);
  return { name, expiresAt, rateLimitPerMinute };
}

/** Undefined for a date that does not exist, such as 30 February. */
function toInstant(text: string): Instant | undefined {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return undefined;
  const instant = new Date(ms).toISOString();
  return instant.slice(0, 19) === text.slice(0, 19) ? instant : undefined;
}
