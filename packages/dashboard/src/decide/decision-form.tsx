/** The second step of a decision: repeats what is being decided, and its button says what happens. */
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { ParameterTree } from '../parameter-tree/parameter-tree.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import * as words from './decision-form.words.ts';
import { DenyReason } from './deny-reason.tsx';
import { Explanation } from './explanation.tsx';
import type { Warning } from './find-warnings.ts';
import { FoldedComment } from './folded-comment.tsx';
import { RestatedHead } from './restated-head.tsx';
import type { Review } from './review.ts';
import { isHeavy, nameOf, sayConsequence, sayOrdinal } from './sentences.ts';
import { CheckNotice } from './shown-parameters.tsx';
import { Warnings } from './warnings.tsx';

interface FormProps {
  review: Review;
  decision: 'approve' | 'deny';
  warnings: readonly Warning[];
  /** Whether the form fits into the page; otherwise it is a dialog and shows the warnings itself. */
  isInPlace: boolean;
  /** Repeat the parameters. False where they are visible above the form. */
  restates: boolean;
  isBusy: boolean;
  isReady: boolean;
  comment: string;
  onComment: (comment: string) => void;
  onSend: (reason: string) => void;
  onCancel: () => void;
}

export function DecisionForm(props: FormProps) {
  const { review, decision, isInPlace, isBusy, isReady, comment, onComment, onSend, onCancel } = props;
  const [reason, setReason] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const confirmId = useId();
  const title = useId();
  const isApproval = decision === 'approve';
  const { action } = review.intent.hashed;
  const takesFocus = isApproval && !isHeavy(review.intent);

  useEffect(() => {
    // Enter confirms a low-risk request. A person has to read a high-risk one first.
    if (takesFocus) document.getElementById(confirmId)?.focus();
    else if (isApproval) heading.current?.focus();
    else heading.current?.closest('form')?.querySelector('input')?.focus();
    // Includes the buttons, in case the form starts low on the page.
    heading.current?.closest('form')?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [takesFocus, isApproval, confirmId]);

  const submit = () => {
    if (!isBusy && isReady) onSend(isApproval ? comment : reason);
  };
  const question = isApproval ? words.approveTitle : words.denyTitle;
  const consequence = isApproval ? sayConsequence(review.intent) : words.denyConsequence;
  const body = isApproval ? <Approval {...props} /> : <Denial {...props} onReason={setReason} />;
  const buttons = (
    <>
      <Button onClick={onCancel}>{words.goBack}</Button>
      <Button
        id={confirmId}
        type="submit"
        tone={isApproval ? 'approve' : 'danger'}
        busy={isBusy}
        aria-disabled={!isReady}
      >
        {isApproval ? words.approve(action, sayOrdinal(review.intent)) : words.deny(action)}
      </Button>
    </>
  );
  if (!isInPlace) {
    return (
      <Dialog open title={question} onClose={onCancel} onSubmit={submit} actions={buttons}>
        <p>{consequence}</p>
        {body}
      </Dialog>
    );
  }
  return (
    <InPlace labelledBy={title} onSubmit={submit} onCancel={onCancel}>
      <div className="decide-form-head">
        <h3 id={title} ref={heading} tabIndex={-1}>
          {question}
        </h3>{' '}
        <p>{consequence}</p>
      </div>
      {body}
      <div className="decide-form-foot">
        {isApproval && <FoldedComment comment={comment} onComment={onComment} />}
        {buttons}
      </div>
    </InPlace>
  );
}

function InPlace({
  labelledBy,
  onSubmit,
  onCancel,
  children,
}: {
  labelledBy: string;
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  return (
    <form
      className="decide-form"
      aria-labelledby={labelledBy}
      noValidate
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      {children}
    </form>
  );
}

/** The request stays visible until it is approved. */
function Approval({ review, warnings, isInPlace, restates, comment, onComment }: FormProps) {
  return (
    <>
      {!isInPlace && <Warnings warnings={warnings} />}
      {restates && <Restated review={review} />}
      {!isInPlace && <Explanation intent={review.intent} level={3} />}
      {!isInPlace && <FoldedComment comment={comment} onComment={onComment} />}
    </>
  );
}

function Denial({
  review,
  isInPlace,
  restates,
  onReason,
}: FormProps & { onReason: (reason: string) => void }) {
  return (
    <>
      <DenyReason onReason={onReason} />
      {restates && !isInPlace && <Restated review={review} />}
    </>
  );
}

function Restated({ review: { intent, check, compared } }: { review: Review }) {
  return (
    <>
      <CheckNotice check={check} />
      <RestatedHead
        action={intent.hashed.action}
        tier={intent.hashed.risk_tier}
        isRated={intent.risk_rated}
        by={nameOf(intent)}
        project={intent.project.name}
        mode={intent.project.mode}
      />
      <div className="decide-restated">
        {compared && compared.changes.length > 0 && <p className="decide-since">{compared.summary}</p>}
        <ParameterTree
          params={check.params}
          label={words.parameters}
          {...(compared && { notes: compared.notes })}
        />
      </div>
    </>
  );
}
