import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { announce } from '../../ui/announce.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextArea } from '../../ui/text-field.tsx';
import type { HashCheck, ShownIntent } from './check-hashes.ts';
import { ConfirmApproval } from './confirm-approval.tsx';
import { PasskeyCancelled, sendDecision, takesPasskey } from './decide.ts';
import { DenyDialog } from './deny-dialog.tsx';
import { sayConsequence, sayRefusal } from './sentences.ts';
import type { ShownIntentState } from './use-shown-intent.ts';

type Step = 'reading' | 'confirming' | 'denying';

/** The two buttons, what they bring about, and what the gate answered. */
export function Deciding({
  intent,
  check,
  state,
  known,
}: {
  intent: ShownIntent;
  check: HashCheck;
  state: ShownIntentState;
  /** Stands with the buttons, wherever they stand. */
  known: ReactNode;
}) {
  const [step, setStep] = useState<Step>('reading');
  const [comment, setComment] = useState('');
  const [sending, setSending] = useState<'approve' | 'deny' | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const needsPasskey = takesPasskey(intent);
  const lacksPasskey = needsPasskey && !intent.proof.has_passkey;
  const mayApprove = intent.can_approve && check.kind === 'same' && !lacksPasskey;
  const isHeavy = intent.hashed.risk_tier === 'high' || intent.hashed.risk_tier === 'critical';

  const send = async (decision: 'approve' | 'deny', reason: string) => {
    setSending(decision);
    setProblem(null);
    state.expectOwn();
    try {
      await sendDecision(intent, {
        decision,
        reason,
        intentHash: check.kind === 'same' ? check.intentHash : null,
      });
      setStep('reading');
      announce(decision === 'approve' ? 'Your approval was recorded.' : 'You denied it.');
    } catch (error) {
      setStep('reading');
      setProblem(
        error instanceof PasskeyCancelled
          ? 'The passkey was not used, so nothing was decided. Try again when you are ready.'
          : sayRefusal(error),
      );
    } finally {
      // Whatever came of it, the page shows what is true now.
      await state.refresh();
      setSending(null);
    }
  };

  return (
    <div className="approve-deciding">
      <div className="approve-bar">
        {known}
        {lacksPasskey && intent.can_approve && <AddPasskey intent={intent} />}
        {problem !== null && (
          <div role="alert">
            <Notice tone="bad" title="Not decided">
              {problem}
            </Notice>
          </div>
        )}
        {mayApprove && <p className="approve-consequence">{sayConsequence(intent)}</p>}
        <div className="approve-buttons">
          {intent.can_deny && (
            <Button
              tone="deny"
              size="l"
              busy={sending === 'deny'}
              disabled={state.isStale || sending === 'approve'}
              onClick={() => setStep('denying')}
            >
              {intent.why_not === 'already_voted' ? 'Deny after all' : 'Deny'}
            </Button>
          )}
          {mayApprove && (
            <Button
              tone="approve"
              size="l"
              icon={needsPasskey ? 'passkey' : 'check'}
              busy={sending === 'approve'}
              disabled={state.isStale || sending === 'deny'}
              onClick={() => (isHeavy ? setStep('confirming') : void send('approve', comment))}
            >
              {needsPasskey ? 'Approve with passkey' : 'Approve once'}
            </Button>
          )}
        </div>
      </div>
      {mayApprove && (
        <details className="approve-comment">
          <summary>Add a comment</summary>
          <TextArea
            label="Comment"
            hint="Kept in the audit log."
            optional
            rows={2}
            maxLength={2000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        </details>
      )}
      <ConfirmApproval
        intent={intent}
        open={step === 'confirming' && mayApprove && !state.isStale}
        busy={sending === 'approve'}
        onConfirm={() => void send('approve', comment)}
        onCancel={() => setStep('reading')}
      />
      <DenyDialog
        intent={intent}
        open={step === 'denying' && !state.isStale}
        busy={sending === 'deny'}
        onDeny={(reason) => void send('deny', reason)}
        onCancel={() => setStep('reading')}
      />
    </div>
  );
}

function AddPasskey({ intent }: { intent: ShownIntent }) {
  const { pathname } = useLocation();
  return (
    <div className="approve-passkey">
      <p>
        <Icon name="passkey" /> This approval takes a passkey, and you have none yet. Add one, and you come
        back here.
      </p>
      {intent.proof.tier === 'device' && (
        <p className="soft small">
          A device key at your terminal does as well: <code>permitry approve {intent.id}</code>.
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
