import { fieldError } from '../../../api/api-error.ts';
import { TextField } from '../../../ui/text-field.tsx';
import { TypesField } from './types-field.tsx';

export interface WebhookDraft {
  url: string;
  description: string;
  types: readonly string[] | null;
}

export const FORM_FIELDS = ['url', 'description', 'event_types'];

export function WebhookFields({
  draft,
  error,
  onChange,
}: {
  draft: WebhookDraft;
  error: unknown;
  onChange: (draft: WebhookDraft) => void;
}) {
  return (
    <>
      <TextField
        label="Address"
        hint="With https://. Each event is sent there by POST."
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/permitry"
        value={draft.url}
        error={fieldError(error, 'url')}
        onChange={(event) => onChange({ ...draft, url: event.target.value })}
      />
      <TextField
        label="Description"
        hint="What stands there, for those who look later."
        optional
        maxLength={100}
        value={draft.description}
        error={fieldError(error, 'description')}
        onChange={(event) => onChange({ ...draft, description: event.target.value })}
      />
      <TypesField
        types={draft.types}
        error={fieldError(error, 'event_types')}
        onChange={(types) => onChange({ ...draft, types })}
      />
    </>
  );
}

export function toSettings({ url, description, types }: WebhookDraft) {
  const label = description.trim();
  return { url: url.trim(), description: label === '' ? null : label, event_types: types };
}
