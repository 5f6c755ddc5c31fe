import { api } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { CommentField } from '../../decide/comment-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import * as words from './ask-for-time.words.ts';

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
    <FormDialog title={words.title} submitLabel={words.send} form={form} onClose={onClose}>
      <p>{words.consequence}</p>
      <CommentField
        label={words.message}
        comment={form.draft.comment}
        onComment={(comment) => form.set({ comment })}
      />
    </FormDialog>
  );
}
