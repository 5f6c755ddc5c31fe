import { InertText } from '../../inert-text/inert-text.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import type { ShownIntent } from './check-hashes.ts';
import { nameOf } from './head.tsx';
import { sayConsequence } from './sentences.ts';

/** For high and critical risk: once more, in words that name what will run. */
export function ConfirmApproval({
  intent,
  open,
  busy,
  onConfirm,
  onCancel,
}: {
  intent: ShownIntent;
  open: boolean;
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const { action, risk_tier: risk } = intent.hashed;
  return (
    <Dialog
      open={open}
      title={`Approve ${action}?`}
      onClose={onCancel}
      actions={
        <>
          <Button size="l" onClick={onCancel}>
            Look again
          </Button>
          <Button tone="approve" size="l" busy={busy} onClick={onConfirm}>
            Yes, approve {action}
          </Button>
        </>
      }
    >
      <p>
        This is of <b>{risk} risk</b>. <InertText text={nameOf(intent)} /> may then run it in{' '}
        <InertText text={intent.project.name} /> ({intent.project.mode}), with the parameters you just read.
      </p>
      <p>{sayConsequence(intent)}</p>
    </Dialog>
  );
}
