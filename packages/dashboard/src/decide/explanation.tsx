import { useId } from 'react';
import { InertText } from '../inert-text/inert-text.tsx';
import { ParameterTree } from '../parameter-tree/parameter-tree.tsx';
import { Icon } from '../ui/icon.tsx';
import type { ShownIntent } from './check-hashes.ts';
import * as words from './decide.words.ts';
import { nameOf } from './sentences.ts';

/** The requester's own text, set apart from everything that the gate vouches for. */
export function Explanation({ intent, level = 2 }: { intent: ShownIntent; level?: 2 | 3 }) {
  const { metadata, source } = intent.hashed;
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  const isOwnLabel = source !== null && source !== intent.requester.agent?.name;
  if (Object.keys(metadata).length === 0 && !isOwnLabel) return null;
  return (
    <section className="decide-words" aria-labelledby={id}>
      <Heading id={id}>
        <Icon name="agent" /> {words.unverifiedExplanation}
      </Heading>
      <p className="decide-words-warning">{words.explanationWarning(<InertText text={nameOf(intent)} />)}</p>
      {isOwnLabel && <p>{words.ownName(<InertText text={source} />)}</p>}
      {Object.keys(metadata).length > 0 && <ParameterTree params={metadata} label={words.explanation} />}
    </section>
  );
}
