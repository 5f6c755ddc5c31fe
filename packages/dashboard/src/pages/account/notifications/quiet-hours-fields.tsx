import { fieldError } from '../../../api/api-error.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import * as words from './notifications.words.ts';
import type { Preferences } from './queries.ts';

type QuietHours = Preferences['quiet_hours'];

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
const NIGHT = { from: '22:00', to: '07:00', time_zone: OWN_ZONE };

export function QuietHoursFields({
  value,
  error,
  onChange,
}: {
  value: QuietHours;
  error: unknown;
  onChange: (value: QuietHours) => void;
}) {
  return (
    <fieldset className="stack tight">
      <legend className="field-label">{words.quietHours}</legend>
      <Checkbox
        label={words.holdBack}
        hint={words.holdBackMeans}
        checked={value !== null}
        onChange={({ target }) => onChange(target.checked ? NIGHT : null)}
      />
      {value && (
        <div className="notifications-hours">
          <TextField
            label={words.from}
            type="time"
            value={value.from}
            error={fieldError(error, 'quiet_hours.from')}
            onChange={({ target }) => onChange({ ...value, from: target.value })}
          />
          <TextField
            label={words.to}
            type="time"
            value={value.to}
            error={fieldError(error, 'quiet_hours.to')}
            onChange={({ target }) => onChange({ ...value, to: target.value })}
          />
          <Select
            label={words.timeZone}
            options={zones(value.time_zone)}
            value={value.time_zone}
            error={fieldError(error, 'quiet_hours.time_zone')}
            onChange={({ target }) => onChange({ ...value, time_zone: target.value })}
          />
        </div>
      )}
    </fieldset>
  );
}

function zones(current: string): { value: string; label: string }[] {
  const names = new Set([OWN_ZONE, current, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...names].map((name) => ({ value: name, label: name.replaceAll('_', ' ') }));
}
