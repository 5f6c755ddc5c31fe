import { fieldError } from '../../../api/api-error.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';

/** What every key may have beside its name. */
export interface KeyLimits {
  /** Days from now; `never`. */
  expiry: string;
  /** Requests per minute; empty: none of its own. */
  perMinute: string;
}

export const NO_LIMITS: KeyLimits = { expiry: '90', perMinute: '' };

const EXPIRIES = [
  { value: '7', label: 'in a week' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
];
const DAY_MS = 86_400_000;

/** The same as the gate takes them. */
export function toKeyLimits({ expiry, perMinute }: KeyLimits): {
  expires_at?: string;
  rate_limit_per_minute?: number;
} {
  return {
    ...(expiry === 'never'
      ? {}
      : { expires_at: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() }),
    ...(perMinute.trim() === '' ? {} : { rate_limit_per_minute: Number(perMinute) }),
  };
}

/** What is wrong with them, before they are sent. */
export function problemOf({ perMinute }: KeyLimits): string | undefined {
  if (perMinute.trim() === '') return undefined;
  const number = Number(perMinute);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000_000) return undefined;
  return 'Give a whole number from 1 to 1000000, or nothing.';
}

export function KeyLimitFields({
  limits,
  onChange,
  problem,
  error,
}: {
  limits: KeyLimits;
  onChange: (limits: KeyLimits) => void;
  /** Of its own limit, found before it was sent. */
  problem: string | undefined;
  /** What the gate answered. */
  error: unknown;
}) {
  return (
    <>
      <Select
        label="Expires"
        options={EXPIRIES}
        value={limits.expiry}
        error={fieldError(error, 'expires_at')}
        onChange={(event) => onChange({ ...limits, expiry: event.target.value })}
      />
      <TextField
        label="Own limit per minute"
        optional
        hint="So that one program gone wild does not use up what the project may ask."
        inputMode="numeric"
        value={limits.perMinute}
        error={problem ?? fieldError(error, 'rate_limit_per_minute')}
        onChange={(event) => onChange({ ...limits, perMinute: event.target.value })}
      />
    </>
  );
}
