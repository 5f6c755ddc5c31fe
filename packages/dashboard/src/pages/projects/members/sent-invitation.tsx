import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { DateTime } from '../../../ui/time.tsx';
import type { SentInvitation } from '../project-frame/wire.ts';

/** Says that the invitation went out by email, or shows the link to pass on. */
export function Sent({ invitation, onClose }: { invitation: SentInvitation; onClose: () => void }) {
  const { email, link, expires_at: expiresAt } = invitation;
  return (
    <Dialog
      open
      title={link === null ? 'Invitation sent' : 'Hand this link over'}
      onClose={onClose}
      actions={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {link === null ? (
        <p>
          <InertText text={email} /> has the link by mail.
        </p>
      ) : (
        <>
          <p>
            This gate sends no mail, so give this link to <InertText text={email} /> yourself. It is shown
            this once, and whoever has it can join in their name.
          </p>
          <CodeBlock code={link} title="Invitation link" what="the link" wrap />
        </>
      )}
      <p className="soft">
        It works once, until <DateTime at={expiresAt} />.
      </p>
    </Dialog>
  );
}
