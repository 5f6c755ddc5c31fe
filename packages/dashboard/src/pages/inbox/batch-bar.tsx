import { Button } from '../../ui/button.tsx';
import { BatchDialog, sayRequests } from './batch-dialog.tsx';
import type { InboxItem } from './inbox-item.ts';

/** The selected requests, and the actions for all of them. */
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
  if (items.length === 0) return null;
  return (
    <section className="inbox-batch" aria-label="Selected requests">
      <span>
        <strong>{sayRequests(items.length)}</strong> selected
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
      {asking !== null && (
        <BatchDialog
          items={items}
          decision={asking}
          isBusy={isBusy}
          onDecide={(reason) => onDecide(asking, reason)}
          onClose={() => onAsk(null)}
        />
      )}
    </section>
  );
}
