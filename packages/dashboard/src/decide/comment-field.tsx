import { TextArea } from '../ui/text-field.tsx';

/** A word with an approval; folded away, for few have one. */
export function CommentField({
  comment,
  onComment,
}: {
  comment: string;
  onComment: (comment: string) => void;
}) {
  return (
    <details className="decide-comment">
      <summary>Add a comment</summary>
      <TextArea
        label="Comment"
        hint="Kept in the audit log."
        optional
        rows={2}
        maxLength={2000}
        value={comment}
        onChange={(event) => onComment(event.target.value)}
      />
    </details>
  );
}
