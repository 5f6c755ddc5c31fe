import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';

interface CheckProps extends Omit<ComponentPropsWithRef<'input'>, 'id' | 'type'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
}

/** A checkbox, or with `kind="radio"` a radio button in the group `name`. */
export function Checkbox({
  label,
  hint,
  error,
  kind = 'checkbox',
  ...input
}: CheckProps & { kind?: 'checkbox' | 'radio' }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <label className="check" htmlFor={id}>
      <input
        {...input}
        id={id}
        type={kind}
        aria-describedby={describedBy || undefined}
        aria-invalid={error ? true : undefined}
      />
      <span>{label}</span>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span className="problem" id={`${id}-error`}>
          {error}
        </span>
      )}
    </label>
  );
}

/** A choice of one, as a vertical list. */
export function Choice<T extends string>({
  legend,
  isLegendUnseen = false,
  name,
  options,
  value,
  onChange,
}: {
  legend: string;
  isLegendUnseen?: boolean;
  name: string;
  options: readonly { value: T; label: ReactNode; hint?: ReactNode }[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <fieldset className="stack tight">
      <legend className={isLegendUnseen ? 'unseen' : 'field-label'}>{legend}</legend>
      {options.map((option) => (
        <Checkbox
          key={option.value}
          kind="radio"
          name={name}
          label={option.label}
          hint={option.hint}
          checked={option.value === value}
          onChange={() => onChange(option.value)}
        />
      ))}
    </fieldset>
  );
}
