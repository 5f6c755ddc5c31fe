import { useState } from 'react';
import { useSignedIn } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Shows the ten codes once: to copy, download or print. It closes when the person confirms that they saved them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { user } = useSignedIn();
  const [isKept, setKept] = useState(false);
  const [problem, setProblem] = useState('');
  const text = `Recovery codes of ${user.email} at ${window.location.host}\nEach works once, in place of the authenticator app.\n\n${codes.join('\n')}\n`;

  const close = () => {
    if (isKept) onClose();
    else setProblem('Keep the codes first: they are not shown again.');
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
      title="Your recovery codes"
      onClose={close}
      actions={
        <Button tone="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <Notice tone="warn">
        They are shown this once. Each signs you in one time when your phone is not at hand. Keep them apart
        from your password.
      </Notice>
      <div className="print-this">
        <p className="print-only">
          Recovery codes of {user.email} at {window.location.host}. Each works once.
        </p>
        <ol className="recovery-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </div>
      <div className="button-row">
        <CopyButton text={text} what="the recovery codes" label="Copy" />
        <Button icon="download" onClick={download}>
          Download
        </Button>
        <Button icon="print" onClick={() => window.print()}>
          Print
        </Button>
      </div>
      <Checkbox
        label="I have kept these codes"
        checked={isKept}
        error={isKept ? undefined : problem}
        onChange={(event) => setKept(event.target.checked)}
      />
    </Dialog>
  );
}
