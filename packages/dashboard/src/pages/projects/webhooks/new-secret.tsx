import { ShownOnceDialog } from '../../../ui/shown-once.tsx';

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
      what="secret"
      text={secret}
      title="Shown this once."
      note="By it the receiver knows what comes from here. Any library of Standard Webhooks takes it as it is."
      copyTo="where the receiver runs"
      otherwise="Rotate it to get another."
      onDone={onDone}
    />
  );
}
