import { useNavigate } from 'react-router';
import { api, newIdempotencyKey } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';

/** Lets a requester resubmit with more time. */
const LIFETIMES = [
  { value: '', label: 'Same as before' },
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '86400', label: '1 day' },
];

/** One press sends the same action and parameters as a new request. In live mode, another person decides it. */
export function AskAgain({ intent }: { intent: ShownIntent }) {
  const navigate = useNavigate();
  const form = useForm({ lifetime: '' }, async ({ lifetime }) => {
    const path = `/console/intents/${encodeURIComponent(intent.id)}/ask-again`;
    const body = lifetime === '' ? {} : { expires_in: Number(lifetime) };
    const { id } = await api.post<{ id: string }>(path, body, { idempotencyKey: newIdempotencyKey() });
    await navigate(`/approve/${id}`);
  });
  return (
    <div className="approve-again">
      <ErrorPanel error={form.error} title="Not resubmitted" />
      <Select label="Time to decide" options={LIFETIMES} {...form.field('lifetime')} />
      <Button tone="primary" icon="refresh" busy={form.busy} onClick={form.submit}>
        Resubmit
      </Button>
      <p className="soft small">
        Sends the same action and parameters as a new request. Policy is evaluated again
        {intent.project.mode === 'live' ? ', and another person must decide it.' : '.'}
      </p>
    </div>
  );
}
