import { ShownOnceDialog } from '../../../ui/shown-once.tsx';
import { newSecret as words } from './webhooks.words.ts';

export function NewSecret({
  title,
  secret,
  onDone,
}: {
  title: string;
  secret: string | undefined;
  onDone: () => void;
}) {
  return (
    <ShownOnceDialog
      dialogTitle={title}
      what={words.what}
      text={secret}
      title={words.shownOnce}
      note={words.note}
      copyTo={words.copyTo}
      otherwise={words.ifLost}
      onDone={onDone}
    />
  );
}
