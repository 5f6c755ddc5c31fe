import { useState } from 'react';
import { later } from '../ui/later.tsx';
import type { CommentProps } from './comment-field.tsx';
import * as words from './decide.words.ts';

// Loaded when it is opened, so that the request appears sooner.
const CommentField = later(() => import('./comment-field.tsx'), 'CommentField');

/** The comment of an approval. It starts folded, because few approvals have one. */
export function FoldedComment(props: CommentProps) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details className="decide-comment" onToggle={(event) => event.currentTarget.open && setWasOpened(true)}>
      <summary>{words.addComment}</summary>
      {wasOpened && <CommentField label={words.comment} hint={words.commentHint} {...props} />}
    </details>
  );
}
