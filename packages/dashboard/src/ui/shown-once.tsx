import { type ComponentProps, type ReactNode, useState } from 'react';
import { toast } from './announce.tsx';
import { Button } from './button.tsx';
import { Checkbox } from './checkbox.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import * as words from './shown-once.words.ts';

/** Shows a secret that cannot be shown again. The person continues by confirming that they saved it. */
export function ShownOnce({
  what,
  text,
  title,
  note,
  copyTo,
  otherwise,
  doneLabel = words.done,
  onDone,
  children,
}: {
  what: string;
  text: string | undefined;
  title: string;
  note: string;
  copyTo: string;
  otherwise: string;
  doneLabel?: string;
  onDone: () => void;
  children?: ReactNode;
}) {
  const [isKept, setKept] = useState(false);
  const [problem, setProblem] = useState('');
  if (text === undefined) {
    return (
      <Notice tone="warn" title={words.wasShown(what)}>
        {words.cannotShowAgain} {otherwise}
      </Notice>
    );
  }
  const done = () => {
    if (isKept) onDone();
    else setProblem(words.confirmSavedBy(what, copyTo));
  };
  return (
    <div className="stack">
      <Notice tone="warn" title={title}>
        {note}
      </Notice>
      <div className="shown-once">
        <code>{text}</code>
        <CopyButton text={text} what={words.theSecret(what)} label={words.copySecret(what)} />
      </div>
      {children}
      <Checkbox
        label={words.isSaved(what)}
        checked={isKept}
        error={problem && !isKept ? problem : undefined}
        onChange={(event) => setKept(event.target.checked)}
      />
      <div className="button-row">
        <Button tone="primary" onClick={done}>
          {doneLabel}
        </Button>
      </div>
    </div>
  );
}

/** The same in a dialog. Escape or a click outside does not close it, because the secret cannot be shown again. */
export function ShownOnceDialog({
  dialogTitle,
  ...shown
}: { dialogTitle: string } & ComponentProps<typeof ShownOnce>) {
  const stay = () => toast(words.confirmSaved(shown.what), 'info');
  return (
    <Dialog open title={dialogTitle} width="wide" onClose={stay}>
      <ShownOnce {...shown} />
    </Dialog>
  );
}
