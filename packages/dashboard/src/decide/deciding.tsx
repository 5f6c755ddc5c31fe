/** Where people decide: the warnings, the two buttons, and the form that asks once more. The same on every page. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Button, LinkButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { KeyboardHint } from '../ui/keyboard-hint.tsx';
import { later } from '../ui/later.tsx';
import { Notice } from '../ui/notice.tsx';
import type { Warning } from './find-warnings.ts';
import { FoldedComment } from './folded-comment.tsx';
import type { Review } from './review.ts';
import { isHeavy, sayConsequence, sayOrdinal, takesPasskey } from './sentences.ts';
import { Warnings } from './warnings.tsx';

// Loaded when it is asked for, so that the request is there sooner.
const DecisionForm = later(() => import('./decision-form.tsx'), 'DecisionForm');

/** What is asked about; null: neither. */
export type Step = 'approve' | 'deny' | null;

export interface DecidingProps {
  review: Review;
  warnings: readonly Warning[];
  step: Step;
  onStep: (step: Step) => void;
  /** On its way to the gate. */
  sending: Step;
  /** Why the last decision was not taken. */
  problem: string | null;
  /** Nothing can be sent just now. */
  isBlocked: boolean;
  /** The form has room in place; else it is a dialog. */
  isInPlace: boolean;
  /** The form shows the parameters again: left out where they are in view above it. */
  restates: boolean;
  /** Every approval is asked once more, not only one of high risk. */
  asksAlways: boolean;
  onSend: (decision: 'approve' | 'deny', reason: string) => void;
  /** Whatever else belongs above the buttons. */
  known?: ReactNode;
  /** Beside the buttons. */
  beside?: ReactNode;
}

/** Whether this person can press "Approve" here, with what was read. */
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
        {/* They are about approving: a denial takes their room for its reason. */}
        {!(step === 'deny' && props.isInPlace) && <Warnings warnings={warnings} />}
        {lacksPasskey(intent) && intent.can_approve && <AddPasskey intent={intent} />}
        {problem !== null && (
          <div role="alert">
            <Notice tone="bad" title="Not decided">
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
          {intent.why_not === 'already_voted' ? 'Deny instead' : 'Deny'} <KeyboardHint keys="d" />
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
  if (needsPasskey) return `Approve with passkey${ordinal}`;
  return ordinal === '' ? 'Approve once' : `Approve${ordinal}`;
}

/** Going back returns the focus to where it was. A dialog does so by itself. */
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

function AddPasskey({ intent }: { intent: Review['intent'] }) {
  const { pathname } = useLocation();
  return (
    <div className="decide-passkey">
      <p>
        <Icon name="passkey" /> Passkey required. You have none yet: add one, then you return to this request.
      </p>
      {intent.proof.tier === 'device' && (
        <p className="soft small">
          You can also use a device key at your terminal: <code>permitry approve {intent.id}</code>.
        </p>
      )}
      <LinkButton
        tone="primary"
        size="l"
        full
        to={`/account/security?return_to=${encodeURIComponent(pathname)}`}
      >
        Add a passkey
      </LinkButton>
    </div>
  );
}
