import { TextArea } from '../ui/text-field.tsx';

export interface CommentProps {
  comment: string;
  onComment: (comment: string) => void;
}

/** An optional text that is sent with the decision. */
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
