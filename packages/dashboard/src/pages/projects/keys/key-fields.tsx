import type { Form } from '../../../api/use-form.ts';
import { fieldProblem } from '../../../api/use-submit.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import * as words from './keys.words.ts';

/** Settings that every key can have besides its name. */
export interface KeyLimits {
  /** Days from now, or `never`. */
  expires_at: string;
  /** Requests per minute. Empty: the key has no limit of its own. */
  rate_limit_per_minute: string;
}

export const NO_LIMITS: KeyLimits = { expires_at: '90', rate_limit_per_minute: '' };

const EXPIRIES = Object.entries(words.expiries).map(([value, label]) => ({ value, label }));
const MOST_PER_MINUTE = 1_000_000;
const DAY_MS = 86_400_000;

/**
 * The settings as the gate accepts them.
 *
 * @throws ApiError what is wrong with them, before they are sent
 */
export function toKeyLimits({ expires_at: days, rate_limit_per_minute: perMinute }: KeyLimits) {
  const limit = perMinute.trim() === '' ? undefined : Number(perMinute);
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= MOST_PER_MINUTE)) {
    throw fieldProblem('rate_limit_per_minute', words.rateLimitInvalid(MOST_PER_MINUTE));
  }
  return {
    ...(days !== 'never' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    ...(limit !== undefined && { rate_limit_per_minute: limit }),
  };
}

export function KeyLimitFields({ form }: { form: Pick<Form<KeyLimits>, 'field'> }) {
  return (
    <>
      <Select label={words.expiry} options={EXPIRIES} {...form.field('expires_at')} />
      <TextField
        label={words.rateLimit}
        optional
        hint={words.rateLimitHint}
        inputMode="numeric"
        {...form.field('rate_limit_per_minute')}
      />
    </>
  );
}
