import { useState } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/text-field.tsx';
import { DENY_REASONS } from '../inbox/decide-form.tsx';
import type { ShownIntent } from './check-hashes.ts';

/** With a reason the requester reads: one of a few, or one’s own; or none. */
export function DenyDialog({
  intent,
  open,
  busy,
  onDeny,
  onCancel,
}: {
  intent: ShownIntent;
  open: boolean;
  busy: boolean;
  onDeny: (reason: string) => void;
  onCancel: () => void;
}) {
  const [preset, setPreset] = useState('');
  const [own, setOwn] = useState('');
  const reason = [preset, own.trim()].filter((part) => part !== '').join(' ');
  return (
    <FormDialog
      open={open}
      title={`Deny ${intent.hashed.action}?`}
      onClose={onCancel}
      onSubmit={() => onDeny(reason)}
      submitLabel="Deny it"
      tone="deny"
      size="l"
      busy={busy}
    >
      <p>One denial denies, whoever approved before. The requester reads your reason.</p>
      <fieldset className="approve-reasons">
        <legend>Reason</legend>
        {['', ...DENY_REASONS].map((text) => (
          <Checkbox
            key={text}
            kind="radio"
            name="reason"
            label={text === '' ? 'None of these' : text}
            checked={preset === text}
            onChange={() => setPreset(text)}
          />
        ))}
      </fieldset>
      <TextArea
        label="In your own words"
        optional
        rows={2}
        maxLength={1900}
        value={own}
        onChange={(event) => setOwn(event.target.value)}
      />
    </FormDialog>
  );
}
