import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { fieldsOf } from '../../../api/use-form.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { filters as words } from './audit.words.ts';
import { EVENTS_BY_GROUP } from './describe-event.tsx';
import { groups } from './event.words.ts';
import './audit-filter.css';

const NAMES = ['type', 'intent_id', 'actor', 'from', 'to', 'order'] as const;

export type AuditQuery = Record<(typeof NAMES)[number], string>;

/** The filter, kept in the URL so that people can bookmark and share it. */
export function useAuditQuery(): [AuditQuery, (query: AuditQuery) => void] {
  const [params, setParams] = useSearchParams();
  const query = Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ''])) as AuditQuery;
  const change = (next: AuditQuery) => {
    setParams(new URLSearchParams(NAMES.flatMap((name) => (next[name] ? [[name, next[name]]] : []))));
  };
  return [query, change];
}

const TYPES = [
  { value: '', label: words.anyType },
  ...[...EVENTS_BY_GROUP].flatMap(([group, events]) => [
    { value: events.map(({ type }) => type).join(','), label: groups[group] },
    ...(events.length > 1 ? events.map(({ type, label }) => ({ value: type, label: `  ${label}` })) : []),
  ]),
];

const ORDERS = [
  { value: '', label: words.newestFirst },
  { value: 'asc', label: words.oldestFirst },
];

const EMPTY: AuditQuery = { type: '', intent_id: '', actor: '', from: '', to: '', order: '' };

export function AuditFilter({
  query,
  onChange,
}: {
  query: AuditQuery;
  onChange: (query: AuditQuery) => void;
}) {
  const [draft, setDraft] = useState(query);
  const set = (part: Partial<AuditQuery>) => setDraft({ ...draft, ...part });
  const field = fieldsOf(draft, set);
  const trim = (text: string) => text.trim();
  // A link may name several types that are not one of our groups.
  const types = TYPES.some(({ value }) => value === draft.type)
    ? TYPES
    : [...TYPES, { value: draft.type, label: draft.type }];
  const isFiltered = NAMES.some((name) => query[name] !== '');
  // On a phone, an open filter would push the log off the screen.
  const [isOpen, setOpen] = useState(() => isFiltered || matchMedia('(min-width: 48rem)').matches);
  return (
    <details
      className="project-fold audit-fold"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{words.title}</summary>
      <form
        className="audit-filter"
        aria-label={words.title}
        onSubmit={(event) => {
          event.preventDefault();
          onChange(draft);
        }}
      >
        <Select label={words.type} options={types} {...field('type')} />
        <TextField
          label={words.actor}
          placeholder={words.actorExample}
          maxLength={254}
          {...field('actor', trim)}
        />
        <TextField label={words.request} placeholder="int_…" maxLength={64} {...field('intent_id', trim)} />
        <TextField
          label={words.from}
          type="datetime-local"
          {...field('from', toInstant)}
          value={toLocal(draft.from)}
        />
        <TextField
          label={words.before}
          type="datetime-local"
          {...field('to', toInstant)}
          value={toLocal(draft.to)}
        />
        <Select label={words.order} options={ORDERS} {...field('order')} />
        <div className="button-row">
          <Button type="submit" tone="primary" icon="search">
            {words.apply}
          </Button>
          {isFiltered && (
            <Button
              tone="quiet"
              onClick={() => {
                setDraft(EMPTY);
                onChange(EMPTY);
              }}
            >
              {words.clear}
            </Button>
          )}
        </div>
      </form>
    </details>
  );
}

/** A browser's date field takes local time without a zone. The URL holds the instant, which is the same everywhere. */
function toLocal(instant: string): string {
  const at = new Date(instant);
  if (instant === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toInstant(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
