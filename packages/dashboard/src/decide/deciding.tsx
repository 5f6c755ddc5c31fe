/** The warnings, the two buttons and the confirmation form, the same on every page. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { KeyboardHint } from '../ui/keyboard-hint.tsx';
import { later } from '../ui/later.tsx';
import { Notice } from '../ui/notice.tsx';
import * as words from './decide.words.ts';
import type { Warning } from './find-warnings.ts';
import { FoldedComment } from './folded-comment.tsx';
import type { Review } from './review.ts';
import { isHeavy, sayConsequence, sayOrdinal, takesPasskey } from './sentences.ts';
import { Warnings } from './warnings.tsx';

// Loaded on demand, so that the request appears sooner.
const DecisionForm = later(() => import('./decision-form.tsx'), 'DecisionForm');
const AddPasskey = later(() => import('./add-passkey.tsx'), 'AddPasskey');

/** The decision that the form confirms, or null. */
export type Step = 'approve' | 'deny' | null;

export interface DecidingProps {
  review: Review;
  warnings: readonly Warning[];
  step: Step;
  onStep: (step: Step) => void;
  /** The decision that is being sent, or null. */
  sending: Step;
  /** Why the gate did not accept the last decision. */
  problem: string | null;
  /** Nothing can be sent at the moment. */
  isBlocked: boolean;
  /** The form fits into the page; otherwise it is a dialog. */
  isInPlace: boolean;
  /** The form repeats the parameters. False where they are visible above it. */
  restates: boolean;
  /** Confirm every approval, not only those of high risk. */
  asksAlways: boolean;
  onSend: (decision: 'approve' | 'deny', reason: string) => void;
  /** Further content above the buttons. */
  known?: ReactNode;
  /** Further content next to the buttons. */
  beside?: ReactNode;
}

/** Whether this person can press "Approve" here, going by what the page has read. */
export function mayApprove({ intent, check }: Review): boolean {
  return intent.can_approve && check.kind === 'same' && !lacksPasskey(intent);
}

function lacksPasskey(intent: Review['intent']): boolean {
  return takesPasskey(intent) && !intent.proof.has_passkey;
}

export function Deciding(props: DecidingProps) {
  const { review, warnings, step, onStep, sending, problem, isBlocked, onSend } = props;
  const [comment, setComment] = useState('');
  const { intent } = review;
  const mayGoOn = step === 'approve' ? mayApprove(review) : step === 'deny' && intent.can_deny;
  const asks = props.asksAlways || isHeavy(intent);
  const buttons = useFocusBack(step);

  return (
    <div className="decide-deciding">
      <div className="decide-bar" ref={buttons} data-step={step ?? undefined}>
        {props.known}
        {/* Warnings concern approving. A denial uses the space for its reason. */}
        {!(step === 'deny' && props.isInPlace) && <Warnings warnings={warnings} />}
        {lacksPasskey(intent) && intent.can_approve && <AddPasskey intent={intent} />}
        {problem !== null && (
          <div role="alert">
            <Notice tone="bad" title={words.decisionFailed}>
              {problem}
            </Notice>
          </div>
        )}
        {step !== null && mayGoOn && (
          <DecisionForm
            key={`${intent.id} ${step}`}
            review={review}
            decision={step}
            warnings={warnings}
            isInPlace={props.isInPlace}
            restates={props.restates}
            isBusy={sending === step}
            isReady={!isBlocked}
            comment={comment}
            onComment={setComment}
            onSend={(reason) => onSend(step, reason)}
            onCancel={() => onStep(null)}
          />
        )}
        {!(step !== null && mayGoOn && props.isInPlace) && (
          <>
            {mayApprove(review) && <p className="decide-consequence">{sayConsequence(intent)}</p>}
            <div className="decide-buttons">
              {props.beside}
              <Pair
                review={review}
                sending={sending}
                isBlocked={isBlocked}
                onDeny={() => onStep('deny')}
                onApprove={() => (asks ? onStep('approve') : onSend('approve', comment))}
              />
            </div>
          </>
        )}
      </div>
      {!asks && step === null && mayApprove(review) && (
        <FoldedComment comment={comment} onComment={setComment} />
      )}
    </div>
  );
}

function Pair({
  review,
  sending,
  isBlocked,
  onDeny,
  onApprove,
}: {
  review: Review;
  sending: Step;
  isBlocked: boolean;
  onDeny: () => void;
  onApprove: () => void;
}) {
  const { intent } = review;
  const needsPasskey = takesPasskey(intent);
  return (
    <>
      {intent.can_deny && (
        <Button
          tone="deny"
          size="l"
          data-decision="deny"
          aria-keyshortcuts="d"
          busy={sending === 'deny'}
          aria-disabled={isBlocked || sending === 'approve'}
          onClick={() => !isBlocked && sending === null && onDeny()}
        >
          {intent.why_not === 'already_voted' ? words.denyInstead : words.deny} <KeyboardHint keys="d" />
        </Button>
      )}
      {mayApprove(review) && (
        <Button
          tone="approve"
          size="l"
          icon={needsPasskey ? 'passkey' : 'check'}
          data-decision="approve"
          aria-keyshortcuts="a"
          busy={sending === 'approve'}
          aria-disabled={isBlocked || sending === 'deny'}
          onClick={() => !isBlocked && sending === null && onApprove()}
        >
          {sayButton(review, needsPasskey)} <KeyboardHint keys="a" />
        </Button>
      )}
    </>
  );
}

function sayButton({ intent }: Review, needsPasskey: boolean): string {
  const ordinal = sayOrdinal(intent);
  if (needsPasskey) return words.approveWithPasskey + ordinal;
  return ordinal === '' ? words.approveOnce : words.approve + ordinal;
}

/** Returns the focus when the person goes back. A dialog does this itself. */
function useFocusBack(step: Step) {
  const bar = useRef<HTMLDivElement>(null);
  const before = useRef(step);
  useEffect(() => {
    const was = before.current;
    before.current = step;
    if (was === null || step !== null || document.activeElement !== document.body) return;
    bar.current?.querySelector<HTMLElement>(`[data-decision="${was}"]`)?.focus();
  }, [step]);
  return bar;
}
