import { InertText } from '../../inert-text/inert-text.tsx';
import * as words from './request-list.words.ts';

/** The beginning of a foreign text, with a count of the rest. */
export function ExcerptLine({ text, more }: { text: string; more: number }) {
  return (
    <>
      <InertText text={text} />
      {more > 0 && <span className="inbox-more">{words.moreCharacters(more)}</span>}
    </>
  );
}
