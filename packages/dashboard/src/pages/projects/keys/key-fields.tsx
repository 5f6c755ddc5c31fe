import type { Form } from '../../../api/use-form.ts';
import { fieldProblem } from '../../../api/use-submit.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';

/** Settings that every key can have besides its name. */
export interface KeyLimits {
  /** Days from now, or `never`. */
  expires_at: string;
  /** Requests per minute. Empty: the key has no limit of its own. */
  rate_limit_per_minute: string;
}

export const NO_LIMITS: KeyLimits = { expires_at: '90', rate_limit_per_minute: '' };

const EXPIRIES = [
  { value: '7', label: 'in a week' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
];
const DAY_MS = 86_400_000;

/**
 * The settings as the gate accepts them.
 *
 * @throws ApiError what is wrong with them, before they are sent
 */
export function toKeyLimits({ expires_at: days, rate_limit_per_minute: perMinute }: KeyLimits) {
  const limit = perMinute.trim() === '' ? undefined : Number(perMinute);
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 1_000_000)) {
    throw fieldProblem('rate_limit_per_minute', 'Give a whole number from 1 to 1000000, or nothing.');
  }
  return {
    ...(days !== 'never' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    ...(limit !== undefined && { rate_limit_per_minute: limit }),
  };
}

export function KeyLimitFields({ form }: { form: Pick<Form<KeyLimits>, 'field'> }) {
  return (
    <>
      <Select label="Expires" options={EXPIRIES} {...form.field('expires_at')} />
      <TextField
        label="Own limit per minute"
        optional
        hint="So that one program gone wild does not use up what the project may ask."
        inputMode="numeric"
        {...form.field('rate_limit_per_minute')}
      />
    </>
  );
}
