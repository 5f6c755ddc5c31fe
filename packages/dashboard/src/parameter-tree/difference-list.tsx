import type { JsonValue } from '@permitry/protocol';
import { type ReactNode, useMemo } from 'react';
import { InertText } from '../inert-text/inert-text.tsx';
import { type Change, pointerOf } from './difference.ts';
import './parameter-tree.css';
import * as words from './parameter-tree.words.ts';
import { PathText } from './path-text.tsx';
import { countOf, kindOf } from './tree-rows.ts';
import { sayKind, ValueText } from './value-text.tsx';
import { findWordChanges } from './word-difference.ts';

/** Further changes are only counted; the tree shows all. */
const MOST_SHOWN = 100;

/** The changes since last time, each with its path, and texts word by word. */
export function DifferenceList({ changes }: { changes: readonly Change[] }): ReactNode {
  return (
    <>
      <ul className="difference">
        {changes.slice(0, MOST_SHOWN).map((change) => (
          <li key={pointerOf(change.path)} className="difference-change" data-kind={change.kind}>
            <span className="difference-word">{words.change[change.kind]}</span>{' '}
            <span className="difference-path">
              <PathText path={change.path} />
            </span>
            <div className="difference-values">
              <Values change={change} />
            </div>
          </li>
        ))}
      </ul>
      {changes.length > MOST_SHOWN && <p>{words.moreChanges(changes.length - MOST_SHOWN)}</p>}
    </>
  );
}

function Values({ change }: { change: Change }): ReactNode {
  if (change.kind === 'added') return <After value={change.after} />;
  if (change.kind === 'removed') return <Before value={change.before} />;
  const { before, after, delta } = change;
  if (typeof before === 'string' && typeof after === 'string') return <Texts before={before} after={after} />;
  return (
    <>
      <Before value={before} /> <Arrow /> <After value={after} />
      {delta && (
        <span className="difference-delta">
          {delta.by}
          {delta.relative !== null && `, ${delta.relative}`}
        </span>
      )}
    </>
  );
}

function Arrow(): ReactNode {
  return <span className="difference-step">→</span>;
}

function Texts({ before, after }: { before: string; after: string }): ReactNode {
  const parts = useMemo(() => findWordChanges(before, after), [before, after]);
  if (!parts) {
    return (
      <>
        <div className="difference-whole">
          <span className="difference-word">{words.before}</span> <Before value={before} />
        </div>
        <div className="difference-whole">
          <span className="difference-word">{words.after}</span> <After value={after} />
        </div>
      </>
    );
  }
  return (
    <span className="value value-string">
      {parts.map((part, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
        if (part.kind === 'same') return <InertText key={index} text={part.text} fold={300} />;
        const Tag = part.kind === 'added' ? 'ins' : 'del';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
          <Tag key={index}>
            <InertText text={part.text} fold={300} />
          </Tag>
        );
      })}
    </span>
  );
}

function Before({ value }: { value: JsonValue }): ReactNode {
  return (
    <del>
      <Whole value={value} />
    </del>
  );
}

function After({ value }: { value: JsonValue }): ReactNode {
  return (
    <ins>
      <Whole value={value} />
    </ins>
  );
}

/** An added or removed group appears as its text, folded. */
function Whole({ value }: { value: JsonValue }): ReactNode {
  const count = countOf(value);
  if (!count) return <ValueText value={value} fold={200} />;
  return (
    <>
      {sayKind(kindOf(value), count)} <InertText text={JSON.stringify(value)} fold={200} />
    </>
  );
}
