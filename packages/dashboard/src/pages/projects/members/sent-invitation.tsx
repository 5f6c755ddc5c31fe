import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { DateTime } from '../../../ui/time.tsx';
import type { SentInvitation } from '../project-frame/wire.ts';
import * as words from './members.words.ts';

/** Says that the invitation went out by email, or shows the link to pass on. */
export function Sent({ invitation, onClose }: { invitation: SentInvitation; onClose: () => void }) {
  const { email, link, expires_at: expiresAt } = invitation;
  return (
    <Dialog
      open
      title={link === null ? words.sent.title : words.sent.share}
      onClose={onClose}
      actions={
        <Button tone="primary" onClick={onClose}>
          {words.sent.done}
        </Button>
      }
    >
      {link === null ? (
        <p>{words.sentByEmail(<InertText text={email} />)}</p>
      ) : (
        <>
          <p>{words.shareYourself(<InertText text={email} />)}</p>
          <CodeBlock code={link} title={words.sent.link} what={words.sent.theLink} wrap />
        </>
      )}
      <p className="soft">{words.worksOnce(<DateTime at={expiresAt} />)}</p>
    </Dialog>
  );
}
