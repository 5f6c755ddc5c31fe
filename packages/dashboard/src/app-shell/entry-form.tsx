import type { ReactNode } from 'react';
import type { Submit } from '../api/use-submit.ts';
import { Button } from '../ui/button.tsx';
import { ErrorPanel } from '../ui/notice.tsx';

/** A form that fills its page: the fields, and one button of the same width. */
export function EntryForm({
  form: { submit, busy, problem },
  submitLabel,
  children,
}: {
  form: Submit;
  submitLabel: string;
  children: ReactNode;
}) {
  return (
    <form onSubmit={submit} noValidate>
      <ErrorPanel error={problem} />
      {children}
      <Button type="submit" tone="primary" size="l" full busy={busy}>
        {submitLabel}
      </Button>
    </form>
  );
}
