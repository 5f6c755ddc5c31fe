import { PasswordField } from './text-field.tsx';

const LEAST = 12;

/** A field for a new password. It states the rule first, and shows progress during typing. */
export function NewPasswordField({
  label = 'Password',
  value,
  error,
  onChange,
}: {
  label?: string;
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}) {
  const length = [...value.normalize('NFKC')].length;
  return (
    <PasswordField
      label={label}
      value={value}
      error={error}
      autoComplete="new-password"
      required
      onChange={onChange}
      hint={
        <>
          {length === 0 && `At least ${LEAST} characters. `}
          {length > 0 && length < LEAST && `${LEAST - length} more. `}
          {length >= LEAST && 'Long enough. '}A few words that do not belong together are easy to remember and
          hard to guess; digits and signs are not needed.
        </>
      }
    />
  );
}
