import { useId, useState } from 'react';
import { Checkbox } from '../ui/checkbox.tsx';
import { TextArea } from '../ui/text-field.tsx';
import * as words from './decision-form.words.ts';

/** A choice of common reasons, the approver's own text, both, or neither. The requester reads it. */
export function DenyReason({ onReason }: { onReason: (reason: string) => void }) {
  const [preset, setPreset] = useState('');
  const [own, setOwn] = useState('');
  const name = useId();
  const change = (nextPreset: string, nextOwn: string) => {
    setPreset(nextPreset);
    setOwn(nextOwn);
    onReason([nextPreset, nextOwn.trim()].filter((part) => part !== '').join(' '));
  };
  return (
    <div className="decide-reason">
      <fieldset>
        <legend>{words.reason}</legend>
        {['', ...words.reasons].map((text) => (
          <Checkbox
            key={text}
            kind="radio"
            name={name}
            label={text === '' ? words.noReason : text}
            checked={preset === text}
            onChange={() => change(text, own)}
          />
        ))}
      </fieldset>
      <TextArea
        label={words.ownReason}
        optional
        rows={1}
        maxLength={1900}
        value={own}
        onChange={(event) => change(preset, event.target.value)}
      />
    </div>
  );
}
