import { useEffect, useState } from 'react';
import { SearchField } from './text-field.tsx';

const TYPING_MS = 250;

/** A text filter. It takes effect when the person stops typing. */
export function TypedField({
  label,
  placeholder,
  value,
  onValue,
  isSearch = false,
}: {
  label: string;
  placeholder: string;
  value: string;
  onValue: (value: string) => void;
  isSearch?: boolean;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the typed text counts
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onValue(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const common = {
    value: typed,
    placeholder,
    maxLength: 200,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => setTyped(event.target.value),
  };
  if (isSearch) return <SearchField label={label} {...common} />;
  return <input {...common} className="input" aria-label={label} spellCheck={false} autoComplete="off" />;
}
