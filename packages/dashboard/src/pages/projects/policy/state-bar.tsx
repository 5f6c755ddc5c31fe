import { useState } from 'react';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import type { DraftCheck } from './draft/use-check.ts';
import type { Draft } from './draft/use-draft.ts';
import * as words from './policy.words.ts';
import type { Policy } from './wire.ts';

/** The active version, the state of the draft, and the actions on it. */
export function StateBar({
  active,
  draft,
  check,
  mayChange,
  onReview,
  onDiscard,
}: {
  active: Policy;
  draft: Draft;
  check: DraftCheck;
  mayChange: boolean;
  onReview: () => void;
  onDiscard: () => void;
}) {
  const [isDiscarding, setDiscarding] = useState(false);
  return (
    <div className="policy-state">
      <span className="policy-state-version">
        {words.active(
          <strong>{words.versionName(active.version)}</strong>,
          <InertText text={active.created_by} />,
          <RelativeTime at={active.created_at} />,
        )}
      </span>
      <span className="policy-state-check" role="status">
        <CheckBadge draft={draft} check={check} />
      </span>
      {mayChange && draft.isChanged && (
        <span className="button-row">
          <Button tone="quiet" onClick={() => setDiscarding(true)}>
            {words.discard}
          </Button>
          <Button tone="primary" disabled={check.state !== 'valid'} onClick={onReview}>
            {words.reviewDraft}
          </Button>
        </span>
      )}
      {isDiscarding && (
        <ConfirmDialog
          title={words.discardDialog.title}
          confirmLabel={words.discard}
          change={onDiscard}
          onClose={() => setDiscarding(false)}
        >
          <p>{words.discardDialog.consequence}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function CheckBadge({ draft, check }: { draft: Draft; check: DraftCheck }) {
  const problems = check.findings.filter(({ severity }) => severity === 'error').length;
  if (problems > 0) return <Badge tone="bad">{words.problems(problems)}</Badge>;
  if (check.error) return <Badge tone="warn">{words.notChecked}</Badge>;
  if (!draft.isChanged) return <Badge>{words.noChanges}</Badge>;
  return check.state === 'valid' ? (
    <Badge tone="good">{words.noProblems}</Badge>
  ) : (
    <Badge>{words.checking}</Badge>
  );
}
