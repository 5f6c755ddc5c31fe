import * as words from './new-password-field.words.ts';
import { PasswordField } from './text-field.tsx';

const LEAST = 12;

/** A field for a new password. It states the rule first, and shows progress during typing. */
export function NewPasswordField({
  label = words.password,
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
          {length === 0 && words.passwordRule(LEAST)}
          {length > 0 && length < LEAST && words.passwordNeeds(LEAST - length)}
          {length >= LEAST && words.passwordFits} {words.passwordAdvice}
        </>
      }
    />
  );
}
