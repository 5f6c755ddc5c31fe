/** Sentences with places for what a record holds: `registered the agent {name}`. */
import { Fragment, type ReactNode } from 'react';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, type RiskTier } from '../../../ui/badge.tsx';
import { DateTime } from '../../../ui/time.tsx';

export type Data = Readonly<Record<string, unknown>>;

const PLACE = /\{(?:([\w…]+) )?(\w+)\}/;

/** `{name}` is a text of others, `{word role}` one of ours; the other kinds stand in `HOW`. */
export function fillIn(sentence: string, data: Data): ReactNode {
  if (!PLACE.test(sentence)) return sentence;
  // Split by a pattern of two groups: a text, the kind of the place behind it, its member, the next text.
  return sentence.split(PLACE).map((part, at, parts) => {
    if (at % 3 === 1) return null;
    if (at % 3 === 0) return part;
    const show = HOW[parts[at - 1] ?? 'text'];
    // biome-ignore lint/suspicious/noArrayIndexKey: the places of a sentence never move
    return <Fragment key={at}>{show?.(data[part])}</Fragment>;
  });
}

const HOW: Readonly<Record<string, (value: unknown) => ReactNode>> = {
  /** It may have been erased, or was never there. */
  text: (value) =>
    typeof value === 'string' ? <InertText text={value} /> : <span className="soft">(erased)</span>,
  word: String,
  list: (value) => (Array.isArray(value) ? value.join(', ') : 'something'),
  code: (value) => <code>{String(value)}</code>,
  'code…': (value) => <code>…{String(value)}</code>,
  hash: (value) => {
    const text = String(value ?? '');
    return <code title={text}>{text.replace(/^sha256:/, '').slice(0, 12)}</code>;
  },
  risk: (value) => <RiskBadge tier={value as RiskTier} />,
  time: (value) => <DateTime at={String(value)} />,
  until: (value) =>
    typeof value === 'string' && (
      <>
        {' until '}
        <DateTime at={value} />
      </>
    ),
  /** Behind a colon, for reasons and comments; nothing when none was given. */
  because: (value) =>
    typeof value === 'string' &&
    value !== '' && (
      <>
        : “<InertText text={value} fold={300} />”
      </>
    ),
};

/** `1 tool`, `2 tools`; of a list, how many it holds. */
export function count(value: unknown, noun: string): string {
  const number = Array.isArray(value) ? value.length : Number(value ?? 0);
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
