import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { CommentField } from '../../decide/comment-field.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';

/** The approver's message to the requester. */
export function AskForTime({
  intent,
  open,
  onClose,
  onDone,
}: {
  intent: ShownIntent;
  open: boolean;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}) {
  const [comment, setComment] = useState('');
  const ask = useMutation({
    mutationFn: () =>
      api.post(`/console/intents/${encodeURIComponent(intent.id)}/ask-to-extend`, { comment }),
    onSuccess: onClose,
    onSettled: () => onDone(),
  });
  return (
    <FormDialog
      open={open}
      title="Ask for more time"
      onClose={onClose}
      onSubmit={() => ask.mutate()}
      submitLabel="Send message"
      busy={ask.isPending}
    >
      <ErrorPanel error={ask.error} />
      <p>
        The expiry doesn’t change. The requester is notified and can resubmit with more time. You can still
        decide until then.
      </p>
      <CommentField label="Message to the requester" comment={comment} onComment={setComment} />
    </FormDialog>
  );
}
