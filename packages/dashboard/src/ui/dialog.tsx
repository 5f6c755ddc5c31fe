import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react';
import { IconButton } from './button.tsx';

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
