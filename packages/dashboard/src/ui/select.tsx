import type { ComponentPropsWithRef } from 'react';
import { Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';

interface Option {
  value: string;
  label: string;
}

interface SelectProps extends Omit<ComponentPropsWithRef<'select'>, 'id' | 'children'> {
  options: readonly Option[];
}

/** A choice of one from a few. Uses the browser's own control, because phones and screen readers support it best. */
export function Select({ label, hint, error, optional, options, ...select }: FieldProps & SelectProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(control) => <BareSelect options={options} {...select} {...control} />}
    </Field>
  );
}

/** The same without a visible label, for filter bars. It needs an `aria-label`. */
export function BareSelect({ options, ...select }: SelectProps & { id?: string }) {
  return (
    <span className="select">
      <select {...select} className="input">
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="chevron" size={14} />
    </span>
  );
}
