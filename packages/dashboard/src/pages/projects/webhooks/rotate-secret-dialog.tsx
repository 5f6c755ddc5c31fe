import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { toast } from '../../../ui/announce.tsx';
import { Dialog, FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Select } from '../../../ui/select.tsx';
import { NewSecret } from './new-secret.tsx';
import { type ShownWebhook, type Webhook, webhookPath, webhooksKey } from './queries.ts';

const OVERLAPS = [
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for a week' },
  { value: '3600', label: 'for an hour' },
  { value: '0', label: 'not at all: it may be known to others' },
];

/** Makes another secret and shows it. */
export function RotateSecretDialog({
  projectId,
  webhook,
  onClose,
}: {
  projectId: string;
  webhook: Webhook;
  onClose: () => void;
}) {
  const [overlap, setOverlap] = useState('86400');
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: (idempotencyKey: string) =>
      api.post<ShownWebhook>(
        webhookPath(projectId, webhook.id, '/rotate-secret'),
        { overlap_seconds: Number(overlap) },
        { idempotencyKey },
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey(projectId) }),
  });
  if (rotate.data) {
    const stay = () => toast('Confirm you’ve saved the secret.', 'info');
    return (
      <Dialog open title="The new secret" width="wide" onClose={stay}>
        <NewSecret secret={rotate.data.secret} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Rotate the secret?"
      onClose={onClose}
      onSubmit={() => rotate.mutate(newIdempotencyKey())}
      submitLabel="Make a new secret"
      busy={rotate.isPending}
    >
      <div className="stack">
        <ErrorPanel error={rotate.error} />
        <p>Everything is signed with the new one at once. Change the receiver while both are good.</p>
        <Select
          label="The old one goes on"
          options={OVERLAPS}
          value={overlap}
          onChange={(event) => setOverlap(event.target.value)}
        />
      </div>
    </FormDialog>
  );
}
