/** Sentences with placeholders for members of an event: `registered the agent {name}`. */
import { Fragment, type ReactNode } from 'react';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, type RiskTier } from '../../../ui/badge.tsx';
import { DateTime } from '../../../ui/time.tsx';
import * as words from './event.words.ts';

const PLACE = /\{(?:([\w…]+) )?(\w+)\}/;

/** `{name}` is foreign text, `{word role}` is one of our own words. `HOW` lists the other kinds. */
export function fillIn(sentence: string, data: words.Data): ReactNode {
  if (!PLACE.test(sentence)) return sentence;
  // The pattern has two groups, so the parts repeat as: text, kind of placeholder, member name, next text.
  return sentence.split(PLACE).map((part, at, parts) => {
    if (at % 3 === 1) return null;
    if (at % 3 === 0) return part;
    const show = HOW[parts[at - 1] ?? 'text'];
    // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders of a sentence never move
    return <Fragment key={at}>{show?.(data[part])}</Fragment>;
  });
}

const HOW: Readonly<Record<string, (value: unknown) => ReactNode>> = {
  /** The text may have been erased, or never existed. */
  text: (value) =>
    typeof value === 'string' ? <InertText text={value} /> : <span className="soft">{words.erased}</span>,
  word: String,
  list: (value) => (Array.isArray(value) ? value.join(', ') : words.properties),
  code: (value) => <code>{String(value)}</code>,
  'code…': (value) => <code>…{String(value)}</code>,
  hash: (value) => {
    const text = String(value ?? '');
    return <code title={text}>{text.replace(/^sha256:/, '').slice(0, 12)}</code>;
  },
  risk: (value) => <RiskBadge tier={value as RiskTier} />,
  time: (value) => <DateTime at={String(value)} />,
  until: (value) => typeof value === 'string' && words.validUntil(<DateTime at={value} />),
  /** The text after a colon: a reason or a comment. Empty when there is none. */
  because: (value) =>
    typeof value === 'string' && value !== '' && words.quoted(<InertText text={value} fold={300} />),
};
