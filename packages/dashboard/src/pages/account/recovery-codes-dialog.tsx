import { useState } from 'react';
import { useSignedIn } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import * as words from './security.words.ts';

/** Shows the ten codes once: to copy, download or print. It closes when the person confirms that they saved them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { user } = useSignedIn();
  const [isKept, setKept] = useState(false);
  const [problem, setProblem] = useState('');
  const text = words.codesToSave(user.email, window.location.host, codes);

  const close = () => {
    if (isKept) onClose();
    else setProblem(words.saveCodesFirst);
  };
  const download = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = 'permitry-recovery-codes.txt';
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Dialog
      open
      title={words.codes}
      onClose={close}
      actions={
        <Button tone="primary" onClick={close}>
          {words.done}
        </Button>
      }
    >
      <Notice tone="warn">{words.codesLead}</Notice>
      <div className="print-this">
        <p className="print-only">{words.codesToPrint(user.email, window.location.host)}</p>
        <ol className="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </div>
      <div className="button-row">
        <CopyButton text={text} what={words.theCodes} label={words.copyCodes} />
        <Button icon="download" onClick={download}>
          {words.downloadCodes}
        </Button>
        <Button icon="print" onClick={() => window.print()}>
          {words.printCodes}
        </Button>
      </div>
      <Checkbox
        label={words.codesSaved}
        checked={isKept}
        error={isKept ? undefined : problem}
        onChange={(event) => setKept(event.target.checked)}
      />
    </Dialog>
  );
}
