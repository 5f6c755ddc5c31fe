import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { Deciding, mayApprove, type Step } from '../../decide/deciding.tsx';
import type { Warning } from '../../decide/find-warnings.ts';
import type { Review } from '../../decide/review.ts';
import { sayRefusal } from '../../decide/say-refusal.ts';
import { sayWhyNot } from '../../decide/say-why-not.ts';
import { PasskeyCancelled, sendDecision } from '../../decide/send-decision.ts';
import { sayNames } from '../../decide/sentences.ts';
import { Warnings } from '../../decide/warnings.tsx';
import { InertText } from '../../inert-text/inert-text.tsx';
import { announce } from '../../ui/announce.tsx';
import { later } from '../../ui/later.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import * as words from './approve.words.ts';
import { MoreTime } from './more-time.tsx';
import type { ShownIntentState } from './use-shown-intent.ts';

// Loaded after a request has ended, so that a pending one appears sooner.
const Ended = later(() => import('./ended.tsx'), 'Ended');

interface PanelProps {
  review: Review;
  warnings: readonly Warning[];
  state: ShownIntentState;
}

/** Where an approver decides, or reads the decision. On a phone it is at the bottom of the screen. */
export function DecidePanel({ review, warnings, state }: PanelProps) {
  const { intent } = review;
  const wasPending = useRef(intent.status === 'pending');
  const isOver = Date.parse(intent.hashed.expires_at) <= useNow();
  if (intent.status !== 'pending') {
    return (
      <Panel>
        <Ended intent={intent} isNew={wasPending.current} />
      </Panel>
    );
  }
  if (isOver) {
    return (
      <Panel>
        <h2>{words.statuses.expired}</h2>
        <p>{words.expired}</p>
      </Panel>
    );
  }
  const known = <WhatToKnow intent={intent} isStale={state.isStale} />;
  if (!intent.can_approve && !intent.can_deny) {
    return (
      <Panel>
        {known}
        <Warnings warnings={warnings} />
        <MoreTime intent={intent} onDone={state.refresh} />
      </Panel>
    );
  }
  return (
    <Panel isDeciding>
      <DecidingHere review={review} warnings={warnings} state={state} known={known} />
      <MoreTime intent={intent} onDone={state.refresh} />
    </Panel>
  );
}

/** The decision on the request's own page, with a proof where one is required. */
function DecidingHere({ review, warnings, state, known }: PanelProps & { known: ReactNode }) {
  const [step, setStep] = useState<Step>(null);
  const [sending, setSending] = useState<Step>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isWide = useMediaQuery('(min-width: 64rem)');
  const { intent, check } = review;
  const isBlocked = state.isStale;

  // Once a decision can no longer be sent, the form closes.
  useEffect(() => {
    if (isBlocked) setStep(null);
  }, [isBlocked]);
  useShortcuts({
    a: () => mayApprove(review) && !isBlocked && setStep('approve'),
    d: () => intent.can_deny && !isBlocked && setStep('deny'),
    Escape: () => setStep(null),
  });

  const send = async (decision: 'approve' | 'deny', reason: string) => {
    setSending(decision);
    setProblem(null);
    state.expectOwn();
    try {
      const intentHash = check.kind === 'same' ? check.intentHash : null;
      await sendDecision(intent, { decision, reason, intentHash });
      announce(decision === 'approve' ? words.approvalRecorded : words.denialRecorded);
    } catch (error) {
      setProblem(error instanceof PasskeyCancelled ? error.message : sayRefusal(error));
    } finally {
      setStep(null);
      // Whatever the result, the page shows the current state.
      await state.refresh();
      setSending(null);
    }
  };

  return (
    <Deciding
      review={review}
      warnings={warnings}
      step={step}
      onStep={setStep}
      sending={sending}
      problem={problem}
      isBlocked={isBlocked}
      isInPlace={isWide}
      restates
      asksAlways={false}
      onSend={(decision, reason) => void send(decision, reason)}
      known={known}
    />
  );
}

/** Reasons why the reader cannot decide. */
function WhatToKnow({ intent, isStale }: { intent: ShownIntent; isStale: boolean }) {
  return (
    <>
      {isStale && (
        <Notice tone="warn" title={words.disconnected}>
          {words.disconnectedConsequence}
        </Notice>
      )}
      <CannotApprove intent={intent} />
    </>
  );
}

function Panel({ isDeciding = false, children }: { isDeciding?: boolean; children: ReactNode }) {
  return (
    <aside className="approve-decide" data-deciding={isDeciding || undefined} aria-label={words.panel}>
      {children}
    </aside>
  );
}

function CannotApprove({ intent }: { intent: ShownIntent }) {
  const why = sayWhyNot(intent.why_not);
  if (intent.can_approve || why === null) return null;
  const who = [...new Set(intent.missing.flatMap((entry) => entry.who))];
  return (
    <div className="approve-cannot">
      <p>
        <b>{why}</b>
      </p>
      {intent.missing.length > 0 && (
        <p className="soft">
          {words.approvers(
            <InertText
              text={who.length > 0 ? who.join(', ') : sayNames(intent.missing.flatMap(({ from }) => from))}
            />,
          )}
        </p>
      )}
    </div>
  );
}
