import { type ComponentPropsWithRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import * as words from './ui.words.ts';

type InputProps = Omit<ComponentPropsWithRef<'input'>, 'id'>;

/** A one-line text field with label, hint and error. Takes every attribute of an input. */
export function TextField({ label, hint, error, optional, className, ...input }: FieldProps & InputProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(control) => (
        <input
          type="text"
          spellCheck={false}
          {...input}
          {...control}
          className={`input ${className ?? ''}`}
        />
      )}
    </Field>
  );
}

/** A password field that can show the password. */
export function PasswordField({ label, hint, error, optional, ...input }: FieldProps & InputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(control) => (
        <span className="input-with">
          <input
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            {...input}
            {...control}
            type={isShown ? 'text' : 'password'}
            className="input"
          />
          <IconButton
            icon="eye"
            label={isShown ? words.hidePassword : words.showPassword}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        </span>
      )}
    </Field>
  );
}

/** A text field of several lines. Takes every attribute of a textarea; `className="code"` gives a fixed-width font. */
export function TextArea({
  label,
  hint,
  error,
  optional,
  className,
  ...area
}: FieldProps & Omit<ComponentPropsWithRef<'textarea'>, 'id'>) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(control) => <textarea rows={4} {...area} {...control} className={`input ${className ?? ''}`} />}
    </Field>
  );
}

/** A search box whose label is for screen readers only. */
export function SearchField({ label, ...input }: { label: string } & InputProps) {
  return (
    <span className="input-with search-field">
      <Icon name="search" />
      <input
        type="search"
        spellCheck={false}
        autoComplete="off"
        {...input}
        aria-label={label}
        className="input"
      />
    </span>
  );
}
