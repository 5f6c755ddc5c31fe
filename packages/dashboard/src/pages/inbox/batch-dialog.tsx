import { useEffect, useRef, useState } from 'react';
import { DenyReason } from '../../decide/deny-reason.tsx';
import { warnOfState } from '../../decide/find-warnings.ts';
import { FoldedComment } from '../../decide/folded-comment.tsx';
import { RestatedHead } from '../../decide/restated-head.tsx';
import { sayOrdinal } from '../../decide/sentences.ts';
import { Warnings } from '../../decide/warnings.tsx';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import * as words from './batch.words.ts';
import { type InboxItem, sayRequester } from './inbox-item.ts';
import { RequestExcerpts } from './request-excerpts.tsx';

/** Several decisions at once: the dialog repeats each request, and one comment or reason goes with all of them. */
export function BatchDialog({
  items,
  decision,
  isBusy,
  onDecide,
  onClose,
}: {
  items: readonly InboxItem[];
  decision: 'approve' | 'deny';
  isBusy: boolean;
  onDecide: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const isApproval = decision === 'approve';
  const requests = words.requests(items.length);
  const label = isApproval ? words.approve(requests) : words.deny(requests);
  // The dialog would focus its close button first, but Enter has to continue.
  useEffect(() => {
    if (isApproval) list.current?.closest('dialog')?.querySelector<HTMLElement>('[type="submit"]')?.focus();
  }, [isApproval]);
  return (
    <Dialog
      open
      title={words.asked(label)}
      width="wide"
      onClose={onClose}
      onSubmit={() => !isBusy && onDecide(reason.trim())}
      actions={
        <>
          <Button onClick={onClose}>{words.goBack}</Button>
          <Button type="submit" tone={isApproval ? 'approve' : 'danger'} busy={isBusy}>
            {label}
          </Button>
        </>
      }
    >
      <p>{words.consequence}</p>
      <ul ref={list} className="inbox-batch-list">
        {items.map((item) => (
          <Restated key={item.id} item={item} />
        ))}
      </ul>
      {isApproval ? (
        <FoldedComment comment={reason} onComment={setReason} />
      ) : (
        <DenyReason onReason={setReason} />
      )}
    </Dialog>
  );
}

/** A list approves only requests that its rows show in full, so there is nothing else to read. */
function Restated({ item }: { item: InboxItem }) {
  return (
    <li>
      <RestatedHead
        action={
          <>
            <InertText text={item.action} />
            {sayOrdinal(item)}
          </>
        }
        tier={item.risk_tier}
        isRated={item.risk_rated}
        by={sayRequester(item)}
        project={item.project_name}
        mode={item.mode}
      />
      <RequestExcerpts item={item} className="mono" />
      <Warnings
        warnings={warnOfState({
          policyChanged: item.policy_changed,
          isStopped: item.project_stopped,
          agentStatus: item.agent_status,
        })}
      />
    </li>
  );
}
