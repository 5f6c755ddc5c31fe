import { type ReactNode, useState } from 'react';
import { type QueryKey, renew } from '../api/query-client.ts';
import { useSubmit } from '../api/use-submit.ts';
import { toast } from './announce.tsx';
import { Button, type ButtonTone } from './button.tsx';
import { Dialog } from './dialog.tsx';
import * as words from './form-dialog.words.ts';
import { ErrorPanel } from './notice.tsx';
import { TextField } from './text-field.tsx';

/** A dialog with one form: its fields, its errors, Cancel, and the submit button. */
export function FormDialog({
  title,
  width = 'normal',
  submitLabel,
  tone = 'primary',
  size = 'm',
  form: { submit, busy = false, problem },
  disabled = false,
  onClose,
  children,
}: {
  title: string;
  width?: 'normal' | 'wide';
  /** A verb with its object, such as "Create key"; never "OK". */
  submitLabel: string;
  tone?: ButtonTone;
  size?: 'm' | 'l';
  /** As `useSubmit` and `useForm` return it. */
  form: { submit: () => unknown; busy?: boolean; problem?: unknown };
  /** There is nothing to submit yet. */
  disabled?: boolean;
  /** Called on Escape, the close button, a click outside, and Cancel. */
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      open
      title={title}
      width={width}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button size={size} onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" tone={tone} size={size} busy={busy} disabled={disabled}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <ErrorPanel error={problem} />
      {children}
    </Dialog>
  );
}

/**
 * Asks before an irreversible action, runs it, confirms it with a message, and refetches what it changed. With
 * `typeToConfirm`, the person has to type that word first.
 */
export function ConfirmDialog({
  title,
  confirmLabel,
  tone = 'danger',
  typeToConfirm,
  change,
  done,
  touched,
  onClose,
  children,
}: {
  title: string;
  /** A verb with its object, such as "Revoke key"; never "OK". */
  confirmLabel: string;
  tone?: ButtonTone;
  typeToConfirm?: string;
  change: () => unknown;
  /** The message afterwards. */
  done?: string;
  touched?: QueryKey;
  onClose: () => void;
  /** What will happen, and what stays. */
  children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const [isMistyped, setMistyped] = useState(false);
  const changing = useSubmit(async () => {
    const isTyped = typeToConfirm === undefined || typed.trim() === typeToConfirm;
    setMistyped(!isTyped);
    if (!isTyped) return;
    await change();
    if (done !== undefined) toast(done);
    onClose();
    if (touched) await renew(touched);
  });
  return (
    <FormDialog title={title} submitLabel={confirmLabel} tone={tone} form={changing} onClose={onClose}>
      {children}
      {typeToConfirm !== undefined && (
        <TextField
          label={words.typeToConfirm(typeToConfirm)}
          value={typed}
          error={isMistyped ? words.mistyped(typeToConfirm) : undefined}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
