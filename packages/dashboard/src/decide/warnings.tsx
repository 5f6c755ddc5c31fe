import { Link } from 'react-router';
import { FoldScope } from '../inert-text/folds.tsx';
import { InertText } from '../inert-text/inert-text.tsx';
import { pointerOf } from '../parameter-tree/difference.ts';
import { at } from '../parameter-tree/parameter-tree.words.ts';
import { PathText } from '../parameter-tree/path-text.tsx';
import { Icon } from '../ui/icon.tsx';
import * as words from './decide.words.ts';
import type { Warning } from './find-warnings.ts';

const MOST_SHOWN = 5;

/** Amber; shown next to the buttons and in the confirmation form. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    // A folded part of a warning is not part of the request.
    <FoldScope folds={null}>
      <ul className="decide-warnings" aria-label={words.warnings}>
        {warnings.map((warning) => (
          <li key={warning.kind} data-kind={warning.kind}>
            <Icon name="alert" />
            <div>
              <InertText text={warning.text} /> <Quote warning={warning} />
              <HiddenTexts warning={warning} />
              <FoldedLists warning={warning} />
              {warning.intentId !== undefined && (
                <Link to={`/approve/${warning.intentId}`}>{words.viewThatRequest}</Link>
              )}
            </div>
          </li>
        ))}
      </ul>
    </FoldScope>
  );
}

function Quote({ warning: { quote } }: { warning: Warning }) {
  if (!quote) return null;
  return (
    <>
      “<InertText text={quote} fold={200} />”{' '}
    </>
  );
}

function FoldedLists({ warning: { folded } }: { warning: Warning }) {
  return folded?.slice(0, MOST_SHOWN).map(({ name, size }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two lists may have the same name
    <span key={index} className="decide-folded">
      {typeof name === 'number' ? at(name) : <InertText text={name ?? ''} fold={80} />}: {size}
    </span>
  ));
}

function HiddenTexts({ warning: { hiddenTexts } }: { warning: Warning }) {
  if (!hiddenTexts) return null;
  const paths = hiddenTexts.slice(0, MOST_SHOWN).map(({ path }, index) => (
    <span key={pointerOf(path)}>
      {index > 0 && ', '}
      <PathText path={path} />
    </span>
  ));
  return words.markedValues(paths, hiddenTexts.length - paths.length);
}
