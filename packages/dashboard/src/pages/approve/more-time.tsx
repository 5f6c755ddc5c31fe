import { useState } from 'react';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import * as words from './approve.words.ts';

// Loaded on demand, so that the request appears sooner.
const AskForTime = later(() => import('./ask-for-time.tsx'), 'AskForTime');
const AskAgain = later(() => import('./ask-again.tsx'), 'AskAgain');

/** An approver who cannot decide in time asks the requester for more time. The requester answers by resubmitting. */
export function MoreTime({ intent, onDone }: { intent: ShownIntent; onDone: () => Promise<unknown> }) {
  // Null until it is opened for the first time.
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const asked = intent.extension_requested;
  return (
    <>
      {asked && (
        <Notice tone="info">
          <span>
            {words.askedForTime(<InertText text={asked.by} />, <RelativeTime at={asked.at} />)}
            {asked.comment === null ? (
              '.'
            ) : (
              <>
                : “<InertText text={asked.comment} fold={400} />”
              </>
            )}
          </span>
        </Notice>
      )}
      {intent.can_ask_again && <AskAgain intent={intent} />}
      {intent.can_ask_to_extend && (
        <Button tone="quiet" size="s" icon="clock" onClick={() => setOpen(true)}>
          {words.askForTime}
        </Button>
      )}
      {isOpen !== null && (
        <AskForTime intent={intent} open={isOpen} onClose={() => setOpen(false)} onDone={onDone} />
      )}
    </>
  );
}
