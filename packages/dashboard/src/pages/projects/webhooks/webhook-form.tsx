import type { Form } from '../../../api/use-form.ts';
import { TextField } from '../../../ui/text-field.tsx';
import type { Webhook } from './queries.ts';
import { TypesField } from './types-field.tsx';
import * as words from './webhooks.words.ts';

interface WebhookDraft {
  url: string;
  description: string;
  event_types: readonly string[] | null;
}

export function draftOf(webhook?: Webhook): WebhookDraft {
  const { url, description, event_types = null } = webhook ?? {};
  return { url: url ?? '', description: description ?? '', event_types };
}

export function WebhookFields({ form }: { form: Form<WebhookDraft> }) {
  return (
    <>
      <TextField
        label={words.properties.address}
        hint={words.addressHint}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://example.com/permitry"
        {...form.field('url')}
      />
      <TextField
        label={words.properties.description}
        hint={words.descriptionHint}
        optional
        maxLength={100}
        {...form.field('description')}
      />
      <TypesField
        types={form.draft.event_types}
        error={form.field('event_types').error}
        onChange={(types) => form.set({ event_types: types })}
      />
    </>
  );
}

export function toSettings({ url, description, event_types }: WebhookDraft) {
  return { url: url.trim(), description: description.trim() || null, event_types };
}
