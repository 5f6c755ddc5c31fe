import { Button } from '../../ui/button.tsx';
import * as words from './batch.words.ts';
import { BatchDialog } from './batch-dialog.tsx';
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
    <section className="inbox-batch" aria-label={words.label}>
      <span>{words.selected(<strong>{words.requests(items.length)}</strong>)}</span>
      <div className="button-row">
        <Button tone="quiet" onClick={onClear}>
          {words.clear}
        </Button>
        <Button tone="deny" aria-disabled={isOffline} onClick={() => !isOffline && onAsk('deny')}>
          {words.denyAll}
        </Button>
        <Button tone="approve" aria-disabled={isOffline} onClick={() => !isOffline && onAsk('approve')}>
          {words.approveAll}
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
