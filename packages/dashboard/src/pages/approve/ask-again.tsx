import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, newIdempotencyKey } from '../../api/client.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';

/** Where a requester resubmits with more time. */
const LIFETIMES = [
  { value: '', label: 'Same as before' },
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '86400', label: '1 day' },
];

/** One press: the same action and parameters in a new request, which another person decides (live mode). */
export function AskAgain({ intent }: { intent: ShownIntent }) {
  const navigate = useNavigate();
  const [lifetime, setLifetime] = useState('');
  const ask = useMutation({
    mutationFn: (idempotencyKey: string) =>
      api.post<{ id: string }>(
        `/console/intents/${encodeURIComponent(intent.id)}/ask-again`,
        lifetime === '' ? {} : { expires_in: Number(lifetime) },
        { idempotencyKey },
      ),
    onSuccess: ({ id }) => navigate(`/approve/${id}`),
  });
  return (
    <div className="approve-again">
      <ErrorPanel error={ask.error} title="Not resubmitted" />
      <Select
        label="Time to decide"
        options={LIFETIMES}
        value={lifetime}
        onChange={(event) => setLifetime(event.target.value)}
      />
      <Button
        tone="primary"
        icon="refresh"
        busy={ask.isPending}
        onClick={() => ask.mutate(newIdempotencyKey())}
      >
        Resubmit
      </Button>
      <p className="soft small">
        Sends the same action and parameters as a new request. Policy is evaluated again
        {intent.project.mode === 'live' ? ', and another person must decide it.' : '.'}
      </p>
    </div>
  );
}
