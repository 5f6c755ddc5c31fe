import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react';
import { IconButton } from './button.tsx';
import * as words from './ui.words.ts';

/**
 * A modal dialog (a bottom sheet on phones). The browser keeps the focus inside and returns it afterwards; Escape
 * closes. It is mounted only while `open`, so its content starts fresh each time.
 */
export function Dialog({
  open,
  ...rest
}: {
  open: boolean;
  title: string;
  /** Called on Escape, the close button, and a click outside. */
  onClose: () => void;
  /** Buttons at the bottom, with the primary one last. */
  actions?: ReactNode;
  /** Makes the whole dialog a form: `actions` then holds a submit button. */
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
    // Focuses the first field rather than the close button.
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
          <IconButton icon="close" label={words.close} onClick={onClose} />
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
