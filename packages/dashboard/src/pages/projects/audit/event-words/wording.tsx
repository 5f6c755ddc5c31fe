/** What the words of all events are made of. */
import type { EventType } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { DateTime } from '../../../../ui/time.tsx';

export type Data = Readonly<Record<string, unknown>>;

export type EventGroup =
  | 'requests'
  | 'permits'
  | 'agents'
  | 'people'
  | 'keys'
  | 'policy'
  | 'project'
  | 'refusals'
  | 'sign-in';

export type EventWords = Partial<
  Record<
    EventType,
    {
      group: EventGroup;
      label: string;
      /** @param actorId Who did it: some things are said otherwise of oneself. */
      says: (data: Data, actorId: string) => ReactNode;
    }
  >
>;

/** A text that may have been erased, or was never there. */
export function Said({ value }: { value: unknown }) {
  if (typeof value === 'string') return <InertText text={value} />;
  return <span className="soft">(erased)</span>;
}

/** The same behind a colon, for reasons and comments; nothing when none was given. */
export function Because({ value }: { value: unknown }) {
  if (typeof value !== 'string' || value === '') return null;
  return (
    <>
      : “<InertText text={value} fold={300} />”
    </>
  );
}

export function until(value: unknown): ReactNode {
  return typeof value === 'string' ? (
    <>
      {' until '}
      <DateTime at={value} />
    </>
  ) : null;
}

export function shortHash(value: unknown): ReactNode {
  const text = String(value ?? '');
  return <code title={text}>{text.replace(/^sha256:/, '').slice(0, 12)}</code>;
}

export function count(value: unknown, one: string, many: string): string {
  const number = Array.isArray(value) ? value.length : Number(value ?? 0);
  return `${number} ${number === 1 ? one : many}`;
}
