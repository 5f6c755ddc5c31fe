import { useNavigate } from 'react-router';
import { api, newIdempotencyKey } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { Button } from '../../ui/button.tsx';
import { formatLifetime } from '../../ui/format.ts';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import * as words from './ask-again.words.ts';

/** Lets a requester resubmit with more time. */
const LIFETIMES = [
  { value: '', label: words.sameLifetime },
  ...[3600, 14_400, 86_400].map((seconds) => ({ value: String(seconds), label: formatLifetime(seconds) })),
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
      <ErrorPanel error={form.error} title={words.failed} />
      <Select label={words.lifetime} options={LIFETIMES} {...form.field('lifetime')} />
      <Button tone="primary" icon="refresh" busy={form.busy} onClick={form.submit}>
        {words.resubmit}
      </Button>
      <p className="soft small">
        {intent.project.mode === 'live' ? words.consequenceInLive : words.consequence}
      </p>
    </div>
  );
}
