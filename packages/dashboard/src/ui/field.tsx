/** Frame of every form field: label, hint and error, tied to the control for screen readers. */
import { type ReactNode, useId } from 'react';
import { Icon } from './icon.tsx';
import * as words from './ui.words.ts';

export interface FieldProps {
  label: ReactNode;
  /** Always shown under the label. */
  hint?: ReactNode;
  /** Says what is wrong and what to do. Undefined or empty: no error. */
  error?: string | undefined;
  /** Marks the field as optional next to its label. */
  optional?: boolean | undefined;
}

/** The props that a control receives from its field. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export function Field({
  label,
  hint,
  error,
  optional,
  children,
}: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {optional && <span className="optional">{words.optional}</span>}
      </label>
      {hint && (
        <div className="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {children({
        id,
        'aria-describedby': describedBy || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (!error) return null;
  return (
    <div className="problem" id={id}>
      <Icon name="alert" size={14} />
      <span>{error}</span>
    </div>
  );
}
