import { api } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { CommentField } from '../../decide/comment-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

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
  const form = useForm({ comment: '' }, async (draft) => {
    try {
      await api.post(`/console/intents/${encodeURIComponent(intent.id)}/ask-to-extend`, draft);
      onClose();
    } finally {
      await onDone();
    }
  });
  if (!open) return null;
  return (
    <FormDialog title="Ask for more time" submitLabel="Send message" form={form} onClose={onClose}>
      <p>
        The expiry doesn’t change. The requester is notified and can resubmit with more time. You can still
        decide until then.
      </p>
      <CommentField
        label="Message to the requester"
        comment={form.draft.comment}
        onComment={(comment) => form.set({ comment })}
      />
    </FormDialog>
  );
}
