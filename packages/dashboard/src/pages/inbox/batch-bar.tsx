import { useEffect, useRef, useState } from 'react';
import { DenyReason } from '../../decide/deny-reason.tsx';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ExcerptLine } from './excerpt-line.tsx';
import type { InboxItem } from './inbox-item.ts';

/** What is ticked, and what to do with all of it. */
export function BatchBar({
  items,
  isBusy,
  isOffline,
  asking,
  onAsk,
  onDecide,
  onClear,
}: {
  items: readonly InboxItem[];
  isBusy: boolean;
  isOffline: boolean;
  asking: 'approve' | 'deny' | null;
  onAsk: (decision: 'approve' | 'deny' | null) => void;
  onDecide: (decision: 'approve' | 'deny', reason: string) => void;
  onClear: () => void;
}) {
  const [reason, setReason] = useState('');
  const bar = useRef<HTMLElement>(null);
  // The dialog would begin at its cross: Enter is to go on.
  useEffect(() => {
    if (asking === 'approve') bar.current?.querySelector<HTMLElement>('[data-go-on]')?.focus();
  }, [asking]);
  if (items.length === 0) return null;
  const count = `${items.length} ${items.length === 1 ? 'request' : 'requests'}`;
  const close = () => {
    setReason('');
    onAsk(null);
  };
  return (
    <section ref={bar} className="inbox-batch" aria-label="Selected requests">
      <span>
        <strong>{count}</strong> selected
      </span>
      <div className="button-row">
        <Button tone="quiet" onClick={onClear}>
          Clear
        </Button>
        <Button tone="deny" aria-disabled={isOffline} onClick={() => !isOffline && onAsk('deny')}>
          Deny all
        </Button>
        <Button tone="approve" aria-disabled={isOffline} onClick={() => !isOffline && onAsk('approve')}>
          Approve all
        </Button>
      </div>
      <Dialog
        open={asking !== null}
        title={asking === 'deny' ? `Deny ${count}` : `Approve ${count}`}
        width="wide"
        onClose={close}
        onSubmit={() => {
          if (asking && !isBusy) onDecide(asking, reason.trim());
        }}
        actions={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              type="submit"
              tone={asking === 'deny' ? 'danger' : 'approve'}
              busy={isBusy}
              {...{ 'data-go-on': true }}
            >
              {asking === 'deny' ? `Deny ${items.length}` : `Approve ${items.length}`}
            </Button>
          </>
        }
      >
        <p>Each one is decided by itself. There is no undo.</p>
        <ul className="inbox-batch-list">
          {items.map((item) => (
            <li key={item.id}>
              <strong>
                <InertText text={item.action} />
              </strong>{' '}
              <span className="soft small">
                <InertText text={item.source ?? item.requester.display} />
              </span>
              <div className="mono">
                <ExcerptLine {...item.params_preview} />
              </div>
            </li>
          ))}
        </ul>
        {asking === 'deny' && <DenyReason onReason={setReason} />}
      </Dialog>
    </section>
  );
}
