import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, newIdempotencyKey } from '../../api/client.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { TextArea } from '../../ui/text-field.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import type { ShownIntent } from './check-hashes.ts';

/** An approver who cannot decide in time asks the requester for more; the requester answers by asking again. */
export function MoreTime({ intent, onDone }: { intent: ShownIntent; onDone: () => Promise<unknown> }) {
  const [isOpen, setOpen] = useState(false);
  const asked = intent.extension_requested;
  return (
    <>
      {asked && (
        <Notice tone="info">
          <span>
            <InertText text={asked.by} /> asked the requester for more time <RelativeTime at={asked.at} />
            {asked.comment === null ? (
              '.'
            ) : (
              <>
                : “<InertText text={asked.comment} fold={400} />”
              </>
            )}
          </span>
        </Notice>
      )}
      {intent.can_ask_again && <AskAgain intent={intent} />}
      {intent.can_ask_to_extend && (
        <Button tone="quiet" size="s" icon="clock" onClick={() => setOpen(true)}>
          Ask the requester for more time
        </Button>
      )}
      <AskDialog intent={intent} open={isOpen} onClose={() => setOpen(false)} onDone={onDone} />
    </>
  );
}

function AskDialog({
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
      submitLabel="Ask"
      busy={ask.isPending}
    >
      <ErrorPanel error={ask.error} />
      <p>
        When this request expires does not change. The requester is told, and can ask again with more time;
        until then you can still decide.
      </p>
      <TextArea
        label="What the requester should know"
        optional
        rows={2}
        maxLength={2000}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
    </FormDialog>
  );
}

/** Whoever was asked for more time gives it here. */
const LIFETIMES = [
  { value: '', label: 'As long as before' },
  { value: '3600', label: 'An hour' },
  { value: '14400', label: 'Four hours' },
  { value: '86400', label: 'A day' },
];

/** One press: the same action and parameters in a new request, which somebody else decides (live mode). */
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
      <ErrorPanel error={ask.error} title="It was not asked again" />
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
        Ask again
      </Button>
      <p className="soft small">
        The same action with the same parameters, in a new request. Policy is asked anew
        {intent.project.mode === 'live' ? ', and since you ask, somebody else decides.' : '.'}
      </p>
    </div>
  );
}
