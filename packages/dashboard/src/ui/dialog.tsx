import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { Button, type ButtonTone, IconButton } from './button.tsx';
import { TextField } from './text-field.tsx';

/**
 * A modal dialog (a sheet from below on phones). The browser keeps the focus inside and gives it back afterwards;
 * Escape closes. It exists only while `open`, so its contents begin afresh each time.
 */
export function Dialog({
  open,
  ...rest
}: {
  open: boolean;
  title: string;
  /** Escape, the cross, and a press beside it. */
  onClose: () => void;
  /** Buttons at the foot; the one that goes on last. */
  actions?: ReactNode;
  /** The whole dialog becomes a form: `actions` then holds a submit button. */
  onSubmit?: () => void;
  width?: 'normal' | 'wide';
  children: ReactNode;
}) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
  title,
  onClose,
  actions,
  onSubmit,
  width = 'normal',
  children,
}: Omit<Parameters<typeof Dialog>[0], 'open'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    // The first thing to fill in, before the cross in the corner.
    element?.querySelector<HTMLElement>('[autofocus], .dialog-body :is(input, textarea, select)')?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const body = (
    <>
      <div className="dialog-body">{children}</div>
      {actions && <div className="dialog-foot">{actions}</div>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape, which every dialog has, is the key for it
    <dialog
      ref={dialog}
      className="dialog"
      data-width={width}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div>
        <div className="dialog-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </div>
        {onSubmit ? (
          <form onSubmit={submit} noValidate>
            {body}
          </form>
        ) : (
          body
        )}
      </div>
    </dialog>
  );
}

/** A dialog that is one form: what is filled in, Cancel, and the button that does it. */
export function FormDialog({
  open = true,
  title,
  width = 'normal',
  submitLabel,
  tone = 'primary',
  size = 'm',
  busy = false,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: {
  open?: boolean;
  title: string;
  width?: 'normal' | 'wide';
  /** The verb: "Make the key", never "OK". */
  submitLabel: string;
  tone?: ButtonTone;
  size?: 'm' | 'l';
  busy?: boolean;
  /** There is nothing to do yet. */
  disabled?: boolean;
  onSubmit: () => void;
  /** Escape, the cross, a press beside it, and Cancel. */
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      open={open}
      title={title}
      width={width}
      onClose={onClose}
      onSubmit={onSubmit}
      actions={
        <>
          <Button size={size} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone={tone} size={size} busy={busy} disabled={disabled}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

/** Asks before something that cannot be taken back. With `typeToConfirm`, that word has to be typed first. */
export function ConfirmDialog({
  open,
  title,
  children,
  confirmLabel,
  tone = 'danger',
  busy = false,
  typeToConfirm,
  onConfirm,
  onCancel,
}: {
  open: boolean;
  title: string;
  /** What will happen, and what stays. */
  children: ReactNode;
  /** The verb: "Revoke key", never "OK". */
  confirmLabel: string;
  tone?: ButtonTone;
  busy?: boolean;
  typeToConfirm?: string;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const close = () => {
    setTyped('');
    setProblem('');
    onCancel();
  };
  const confirm = () => {
    if (typeToConfirm !== undefined && typed.trim() !== typeToConfirm) {
      setProblem(`Type “${typeToConfirm}” to go on.`);
      return;
    }
    setTyped('');
    setProblem('');
    onConfirm();
  };
  return (
    <FormDialog
      open={open}
      title={title}
      submitLabel={confirmLabel}
      tone={tone}
      busy={busy}
      onSubmit={confirm}
      onClose={close}
    >
      {children}
      {typeToConfirm !== undefined && (
        <TextField
          label={`Type “${typeToConfirm}” to go on`}
          value={typed}
          error={problem}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
