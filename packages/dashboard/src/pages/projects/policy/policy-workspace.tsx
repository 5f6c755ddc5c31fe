import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../../../api/query-client.ts';
import { useRole } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { AddressedTabs } from '../../../ui/tabs.tsx';
import { projectQuery } from '../project-frame/queries.ts';
import { useCheck } from './draft/use-check.ts';
import { useDraft } from './draft/use-draft.ts';
import { PolicyEditor } from './editor/policy-editor.tsx';
import * as words from './policy.words.ts';
import { policyQuery } from './policy-queries.ts';
import { PendingProposals } from './proposals/pending-proposals.tsx';
import { SecondPersonCard } from './proposals/second-person.tsx';
import { ConflictDialog } from './review/conflict-dialog.tsx';
import { ReviewDialog } from './review/review-dialog.tsx';
import { Shadow } from './shadow/shadow.tsx';
import { StateBar } from './state-bar.tsx';
import { TryIt } from './try-it/try-it.tsx';
import { Versions } from './versions/versions.tsx';
import type { Policy } from './wire.ts';

/** The document under review before saving: the draft, or another document instead of it. */
interface Review {
  title: string;
  document: Policy['policy'];
  isDraft: boolean;
}

/** All work on a project's policy, around one draft. */
export function PolicyWorkspace({ projectId, active }: { projectId: string; active: Policy }) {
  const draft = useDraft(projectId, active);
  const mayChange = useRole(projectId).isAtLeast('admin');
  const check = useCheck(projectId, draft, mayChange);
  const { data: project } = useQuery(projectQuery(projectId));
  const [review, setReview] = useState<Review | null>(null);
  const [isConflict, setConflict] = useState(false);

  const written = draft.located.ok ? (draft.located.value as Policy['policy']) : undefined;
  const sound = check.state === 'valid' ? written : undefined;
  const base = { ...active, ...draft.base, policy: JSON.parse(draft.original) as Policy['policy'] };
  const reviewDraft = () =>
    sound && setReview({ title: words.reviewTitles.draft, document: sound, isDraft: true });

  return (
    <div className="policy-desk">
      <PendingProposals active={active} />
      <StateBar
        active={active}
        draft={draft}
        check={check}
        mayChange={mayChange}
        onReview={reviewDraft}
        onDiscard={() => draft.reset(active)}
      />
      {draft.isChanged && draft.base.hash !== active.hash && (
        <Notice tone="warn" title={words.newerVersion(active.version)}>
          <Button size="s" onClick={() => setConflict(true)}>
            {words.viewChanges}
          </Button>
        </Notice>
      )}
      <AddressedTabs
        label={words.title}
        tabs={[
          {
            id: 'rules',
            label: words.tabs.rules,
            content: <PolicyEditor draft={draft} check={check} isEditable={mayChange} />,
          },
          ...(mayChange
            ? [
                {
                  id: 'try',
                  label: words.tabs.test,
                  content: <TryIt policy={sound} document={draft.document} isDraft={draft.isChanged} />,
                },
              ]
            : []),
          {
            id: 'versions',
            label: words.tabs.versions,
            content: (
              <Versions
                active={active}
                onRollBack={
                  mayChange
                    ? ({ version, policy }) =>
                        setReview({
                          title: words.reviewTitles.rollBack(version),
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
            label: words.tabs.shadow,
            content: (
              <Shadow
                active={active}
                draft={draft.isChanged ? sound : undefined}
                mayChange={mayChange}
                onPromote={({ policy }) =>
                  setReview({ title: words.reviewTitles.shadow, document: policy, isDraft: false })
                }
              />
            ),
          },
          {
            id: 'two-person-rule',
            label: words.tabs.twoPersonRule,
            content: <SecondPersonCard />,
          },
        ]}
      />
      {review && project && (
        <ReviewDialog
          title={review.title}
          base={review.isDraft ? base : active}
          document={review.document}
          needsSecondPerson={project.policy_second_person}
          onClose={() => setReview(null)}
          onConflict={() => {
            setReview(null);
            setConflict(true);
          }}
          onSaved={(policy) => {
            setReview(null);
            if (policy) queryClient.setQueryData(policyQuery(projectId).queryKey, policy);
            if (review.isDraft) draft.reset(policy ?? active);
          }}
        />
      )}
      {isConflict && (
        <ConflictDialog
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
