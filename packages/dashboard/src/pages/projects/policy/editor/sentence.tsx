import { InertText } from '../../../../inert-text/inert-text.tsx';
import type { SentencePart } from '../document/sentence-parts.ts';

/** A rule as a sentence. Names and conditions are highlighted. */
export function Sentence({ parts }: { parts: readonly SentencePart[] }) {
  return (
    <p className="policy-sentence">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
        <Part key={index} part={part} />
      ))}
    </p>
  );
}

function Part({ part: { kind, text } }: { part: SentencePart }) {
  const shown = <InertText text={text} />;
  if (kind === 'name') return <strong>{shown}</strong>;
  if (kind === 'code') return <code>{shown}</code>;
  if (kind === 'effect') return <em>{text}</em>;
  // The words of the sentence include the rule's reason, which a person wrote.
  return shown;
}
