import { useState } from 'react';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { mayApprove } from '../../decide/deciding.tsx';
import { DecisionForm } from '../../decide/decision-form.tsx';
import * as words from '../../decide/decision-form.words.ts';
import { AGO_STEP_MS, findWarnings } from '../../decide/find-warnings.ts';
import { shownHash, useReview, useWholeIntent } from '../../decide/review.ts';
import { FoldScope, useFoldedParts, useFolds } from '../../inert-text/folds.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Skeleton } from '../../ui/waiting.tsx';

interface SheetProps {
  decision: 'approve' | 'deny';
  isBusy: boolean;
  isOffline: boolean;
  onDecide: (reason: string, intentHash?: string) => void;
  onCancel: () => void;
}

/** For windows with no space next to the list: the form with the whole request in it. */
export function DecideSheet({ id, ...rest }: SheetProps & { id: string }) {
  const { data, error, refetch } = useWholeIntent(id);
  if (data) return <Loaded intent={data} {...rest} />;
  return (
    <Dialog
      open
      title={rest.decision === 'approve' ? words.approveTitle : words.denyTitle}
      onClose={rest.onCancel}
    >
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {!error && <Skeleton lines={4} label={words.loading} />}
    </Dialog>
  );
}

function Loaded({
  intent,
  decision,
  isBusy,
  isOffline,
  onDecide,
  onCancel,
}: SheetProps & { intent: ShownIntent }) {
  const [comment, setComment] = useState('');
  const review = useReview(intent);
  const folds = useFolds();
  const warnings = findWarnings(review, useNow(AGO_STEP_MS), useFoldedParts(folds));
  return (
    <FoldScope folds={folds}>
      <DecisionForm
        review={review}
        decision={decision}
        warnings={warnings}
        isInPlace={false}
        restates
        isBusy={isBusy}
        isReady={!isOffline && (decision === 'deny' || mayApprove(review))}
        comment={comment}
        onComment={setComment}
        onSend={(reason) => onDecide(reason.trim(), shownHash(review))}
        onCancel={onCancel}
      />
    </FoldScope>
  );
}
