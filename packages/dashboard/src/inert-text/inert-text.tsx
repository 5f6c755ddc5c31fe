/** The only way a text of foreign origin reaches a page. */

import { type Segment, toSegments } from '@permitry/protocol/inert-text';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { findAddresses, MOST_ADDRESSES } from './find-addresses.ts';
import { Fold } from './folds.tsx';
import './inert-text.css';
import * as words from './inert-text.words.ts';
import { headOf, saySize, sizeOf } from './text-size.ts';

export interface InertTextProps {
  /** Any text, e.g. one that an agent wrote, or a name that somebody chose. */
  text: string;
  /** The number of characters before the rest is folded, with its size. Default: 1200. */
  fold?: number;
}

const FOLD = 1200;
/** How much one press of "show more" adds: little enough to keep the page fast, whatever the text holds. */
const STEP = 20_000;

/**
 * Shows a text as plain text: no markup, no links, nothing that moves its surroundings. Invisible characters get a
 * label, look-alikes are underlined and explained, and a folded part says how long it is.
 *
 * @example <InertText text={intent.action} />
 */
export const InertText = memo(function InertText({ text, fold = FOLD }: InertTextProps) {
  const [shown, setShown] = useState(fold);
  const head = useMemo(() => headOf(text, shown), [text, shown]);
  return (
    <>
      <bdi className="inert" dir="ltr">
        <Segments text={head} />
      </bdi>
      {head.length < text.length && <Folded text={text} head={head} onMore={() => setShown(shown + STEP)} />}
    </>
  );
});

function Folded({ text, head, onMore }: { text: string; head: string; onMore: () => void }): ReactNode {
  const size = useMemo(() => saySize(sizeOf(text)), [text]);
  const left = useMemo(() => sizeOf(text.slice(head.length)).characters, [text, head]);
  return (
    <span className="inert-folded">
      <Fold />
      <span aria-hidden="true">… </span>
      {words.notShown(left, size)}{' '}
      <button type="button" className="inert-more" onClick={onMore}>
        {left > STEP ? words.showNext(STEP) : words.showRest}
      </button>
    </span>
  );
}

const Segments = memo(function Segments({ text }: { text: string }) {
  const segments = useMemo(() => toSegments(text), [text]);
  // biome-ignore lint/suspicious/noArrayIndexKey: the segments of a text never move
  return segments.map((segment, index) => <One key={index} segment={segment} />);
});

function One({ segment }: { segment: Segment }): ReactNode {
  switch (segment.kind) {
    case 'plain':
      return segment.text;
    case 'rtl':
      return (
        <bdi className="inert-rtl" dir="rtl">
          {segment.text}
        </bdi>
      );
    case 'break':
      return (
        <>
          <span className="inert-break" title={words.lineBreak}>
            <span aria-hidden="true">⏎</span>
          </span>
          <br />
        </>
      );
    case 'unseen':
      return (
        <span className="inert-unseen" title={segment.explained}>
          ⟨{segment.label}⟩
        </span>
      );
    case 'note':
      return (
        <span className="inert-unseen" title={segment.explained}>
          ⟨{segment.label}⟩
        </span>
      );
    case 'suspect':
      return (
        <span className="inert-suspect" title={segment.why}>
          {segment.text}
          <span className="inert-why">⟨{segment.why}⟩</span>
        </span>
      );
  }
}

/** Says where the addresses in a text lead, and never links there. Searches only the beginning of a long text. */
export function InertAddresses({ text }: { text: string }): ReactNode {
  const found = useMemo(() => findAddresses(headOf(text, STEP)), [text]);
  if (found.length === 0) return null;
  return (
    <span className="inert-addresses">
      {found.slice(0, MOST_ADDRESSES).map(({ written, host, oddities }) => (
        <span key={`${host} ${written}`} className="inert-address">
          {host === '' ? words.invalidAddress : words.host}
          {host !== '' && <b className="inert-host">{host}</b>}
          {oddities.length > 0 && <span className="inert-odd"> ({oddities.join('; ')})</span>}
        </span>
      ))}
      {found.length > MOST_ADDRESSES && (
        <span className="inert-address">{words.moreAddresses(found.length - MOST_ADDRESSES)}</span>
      )}
    </span>
  );
}
