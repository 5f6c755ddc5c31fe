import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { projectQuery } from '../project-frame/queries.ts';
import { type DraftCheck, useCheck } from './draft/use-check.ts';
import { type Draft, useDraft } from './draft/use-draft.ts';
import { PolicyEditor } from './editor/policy-editor.tsx';
import { policyQuery } from './policy-queries.ts';
import { PendingProposals } from './proposals/pending-proposals.tsx';
import { SecondPersonCard } from './proposals/second-person.tsx';
import { ConflictDialog } from './review/conflict-dialog.tsx';
import { ReviewDialog } from './review/review-dialog.tsx';
import { Shadow } from './shadow/shadow.tsx';
import { TryIt } from './try-it/try-it.tsx';
import { Versions } from './versions/versions.tsx';
import type { Policy } from './wire.ts';

/** What is being reviewed before it is saved: the draft, or another document in its place. */
interface Review {
  title: string;
  document: Policy['policy'];
  isDraft: boolean;
}

/** Everything one does with the policy of a project, around one draft. */
export function PolicyDesk({ projectId, inForce }: { projectId: string; inForce: Policy }) {
  const draft = useDraft(projectId, inForce);
  const check = useCheck(projectId, draft);
  const mayChange = useRole(projectId).isAtLeast('admin');
  const { data: project } = useQuery(projectQuery(projectId));
  const queryClient = useQueryClient();
  const [review, setReview] = useState<Review | null>(null);
  const [isConflict, setConflict] = useState(false);

  const written = draft.located.ok ? (draft.located.value as Policy['policy']) : undefined;
  const sound = check.state === 'valid' ? written : undefined;
  const base = { ...inForce, ...draft.base, policy: JSON.parse(draft.original) as Policy['policy'] };
  const reviewDraft = () =>
    sound && setReview({ title: 'Review your draft', document: sound, isDraft: true });

  return (
    <div className="policy-desk">
      <PendingProposals projectId={projectId} inForce={inForce} />
      <StateBar
        inForce={inForce}
        draft={draft}
        check={check}
        mayChange={mayChange}
        onReview={reviewDraft}
        onDiscard={() => draft.reset(inForce)}
      />
      {draft.isChanged && draft.base.hash !== inForce.hash && (
        <Notice tone="warn" title={`Version ${inForce.version} came in force while you were writing.`}>
          <Button size="s" onClick={() => setConflict(true)}>
            See what changed
          </Button>
        </Notice>
      )}
      <Tabs
        label="Policy"
        tabs={[
          {
            id: 'rules',
            label: 'Rules',
            content: <PolicyEditor draft={draft} check={check} isEditable={mayChange} />,
          },
          ...(mayChange
            ? [
                {
                  id: 'try',
                  label: 'Try it',
                  content: (
                    <TryIt
                      projectId={projectId}
                      policy={sound}
                      document={draft.document}
                      isDraft={draft.isChanged}
                    />
                  ),
                },
              ]
            : []),
          {
            id: 'versions',
            label: 'Versions',
            content: (
              <Versions
                projectId={projectId}
                inForce={inForce}
                onRollBack={
                  mayChange
                    ? ({ version, policy }) =>
                        setReview({
                          title: `Roll back to version ${version}`,
                          document: policy,
                          isDraft: false,
                        })
                    : undefined
                }
              />
            ),
          },
          {
            id: 'shadow',
            label: 'Shadow',
            content: (
              <Shadow
                projectId={projectId}
                inForce={inForce}
                draft={draft.isChanged ? sound : undefined}
                mayChange={mayChange}
                onPromote={({ policy }) =>
                  setReview({ title: 'Put the shadow in force', document: policy, isDraft: false })
                }
              />
            ),
          },
          {
            id: 'second-person',
            label: 'Second person',
            content: <SecondPersonCard projectId={projectId} />,
          },
        ]}
      />
      {review && project && (
        <ReviewDialog
          projectId={projectId}
          title={review.title}
          base={review.isDraft ? base : inForce}
          document={review.document}
          takesSecondPerson={project.policy_second_person}
          onClose={() => setReview(null)}
          onConflict={() => {
            setReview(null);
            setConflict(true);
          }}
          onSaved={(policy) => {
            setReview(null);
            if (policy) queryClient.setQueryData(policyQuery(projectId).queryKey, policy);
            if (review.isDraft) draft.reset(policy ?? inForce);
          }}
        />
      )}
      {isConflict && (
        <ConflictDialog
          projectId={projectId}
          base={base.policy}
          onClose={() => setConflict(false)}
          onTake={(theirs) => {
            draft.reset(theirs);
            setConflict(false);
          }}
          onKeep={(theirs) => {
            draft.rebase(theirs);
            setConflict(false);
          }}
        />
      )}
    </div>
  );
}

/** What is in force, what one has written, and what one may do with it. */
function StateBar({
  inForce,
  draft,
  check,
  mayChange,
  onReview,
  onDiscard,
}: {
  inForce: Policy;
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
        <strong>Version {inForce.version}</strong> is in force, by <InertText text={inForce.created_by} />,{' '}
        <RelativeTime at={inForce.created_at} />.
      </span>
      <span className="policy-state-check" role="status">
        <CheckBadge draft={draft} check={check} />
      </span>
      {mayChange && draft.isChanged && (
        <span className="button-row">
          <Button tone="quiet" onClick={() => setDiscarding(true)}>
            Discard
          </Button>
          <Button tone="primary" disabled={check.state !== 'valid'} onClick={onReview}>
            Review the draft
          </Button>
        </span>
      )}
      <ConfirmDialog
        open={isDiscarding}
        title="Discard your draft?"
        confirmLabel="Discard it"
        onCancel={() => setDiscarding(false)}
        onConfirm={() => {
          setDiscarding(false);
          onDiscard();
        }}
      >
        <p>What you wrote is gone then. The policy in force stays as it is.</p>
      </ConfirmDialog>
    </div>
  );
}

function CheckBadge({ draft, check }: { draft: Draft; check: DraftCheck }) {
  const problems = check.findings.filter(({ severity }) => severity === 'error').length;
  if (problems > 0) return <Badge tone="bad">{problems === 1 ? '1 problem' : `${problems} problems`}</Badge>;
  if (check.error) return <Badge tone="warn">Not checked: the gate cannot be reached</Badge>;
  if (!draft.isChanged) return <Badge>No changes</Badge>;
  return check.state === 'valid' ? <Badge tone="good">The draft is sound</Badge> : <Badge>Checking…</Badge>;
}
