import type { ReactNode } from 'react';
import { Checkbox } from './checkbox.tsx';

/** One of several, below one another. */
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
