import { TextArea } from '../ui/text-field.tsx';

export interface CommentProps {
  comment: string;
  onComment: (comment: string) => void;
}

/** A few words that go with what is sent. */
export function CommentField({
  label,
  hint,
  comment,
  onComment,
}: CommentProps & { label: string; hint?: string }) {
  return (
    <TextArea
      label={label}
      {...(hint !== undefined && { hint })}
      optional
      rows={2}
      maxLength={2000}
      value={comment}
      onChange={(event) => onComment(event.target.value)}
    />
  );
}
