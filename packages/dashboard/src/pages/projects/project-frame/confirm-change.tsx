import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from '../../../ui/announce.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';

/** Asks before a change that cannot be taken back, makes it, says so, and reads anew what it touched. */
export function ConfirmChange({
  title,
  confirmLabel,
  change,
  done,
  touched,
  onClose,
  children,
}: {
  title: string;
  /** The verb: "Revoke the key", never "OK". */
  confirmLabel: string;
  change: () => Promise<unknown>;
  /** What is said afterwards. */
  done: string;
  touched: QueryKey;
  onClose: () => void;
  /** What will happen, and what stays. */
  children: ReactNode;
}) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: change,
    onSuccess: async () => {
      toast(done);
      onClose();
      await queryClient.invalidateQueries({ queryKey: touched });
    },
  });
  return (
    <ConfirmDialog
      open
      title={title}
      confirmLabel={confirmLabel}
      busy={isPending}
      onConfirm={() => mutate()}
      onCancel={onClose}
    >
      <div className="stack">
        <ErrorPanel error={error} />
        {children}
      </div>
    </ConfirmDialog>
  );
}
