import { useEffect, useRef, useState } from 'react';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextArea } from '../../ui/text-field.tsx';
import type { InboxItem } from './inbox-item.ts';
import { useShownHash } from './whole-params.tsx';

export const DENY_REASONS = [
  'Not needed.',
  'The parameters are wrong.',
  'Not now. Ask again later.',
  'Talk to me first.',
] as const;

interface FormProps {
  item: InboxItem;
  decision: 'approve' | 'deny';
  isBusy: boolean;
  onDecide: (reason: string, intentHash?: string) => void;
  onCancel: () => void;
}

/** Asks once before a decision: it cannot be taken back. */
export function DecideForm({ item, decision, isBusy, onDecide, onCancel }: FormProps) {
  const [reason, setReason] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const shownHash = useShownHash(item.id);
  // Whoever approves has seen all of it; to deny what cannot be shown is always right.
  const isReady = decision === 'deny' || shownHash !== undefined;

  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, []);

  return (
    <form
      ref={form}
      className="inbox-decide"
      data-decision={decision}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && isReady) onDecide(reason.trim(), shownHash);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      {decision === 'approve' ? (
        <p>
          <strong>Approve it?</strong> <InertText text={item.source ?? item.requester.display} /> may then do
          exactly this, once. There is no undo.
        </p>
      ) : (
        <>
          <p>
            <strong>Deny it?</strong> One denial is enough, and there is no undo.
          </p>
          <DenyReason reason={reason} onReason={setReason} />
        </>
      )}
      <div className="button-row end">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          type="submit"
          tone={decision === 'approve' ? 'approve' : 'danger'}
          busy={isBusy}
          aria-disabled={!isReady}
          {...(decision === 'approve' && { 'data-first': true })}
        >
          {decision === 'approve' ? 'Approve' : 'Deny'}
        </Button>
      </div>
    </form>
  );
}

const OWN = 'own';

/** A preset, one's own words, or none: whoever asked will read it. */
export function DenyReason({ reason, onReason }: { reason: string; onReason: (reason: string) => void }) {
  const [choice, setChoice] = useState('');
  const choose = (next: string) => {
    setChoice(next);
    onReason(next === OWN ? '' : next);
  };
  return (
    <fieldset className="inbox-reasons">
      <legend>Reason, for whoever asked</legend>
      {['', ...DENY_REASONS, OWN].map((one, place) => (
        <Checkbox
          key={one}
          kind="radio"
          name="reason"
          label={one === '' ? 'None' : one === OWN ? 'In my own words' : one}
          checked={choice === one}
          onChange={() => choose(one)}
          {...(place === 0 && { 'data-first': true })}
        />
      ))}
      {choice === OWN && (
        <TextArea
          label="Your words"
          rows={2}
          maxLength={2000}
          autoFocus
          value={reason}
          onChange={(event) => onReason(event.target.value)}
        />
      )}
    </fieldset>
  );
}
