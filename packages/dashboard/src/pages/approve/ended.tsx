import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { nameOf } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { AskAgain } from './ask-again.tsx';
import { NextOne } from './next-one.tsx';
import { PermitUse } from './permit-use.tsx';
import { sayDecider } from './what-changed.ts';

/** How a request ended, and where to go next. `isNew`: it has just replaced the buttons, so it takes the focus. */
export function Ended({ intent, isNew }: { intent: ShownIntent; isNew: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {TITLES[intent.withdrawn ? 'withdrawn' : intent.status]}
      </h2>
      <How intent={intent} />
      {intent.status === 'approved' && <PermitUse intent={intent} />}
      <NextOne id={intent.id} isFirstThing={!intent.can_ask_again} />
      {intent.can_ask_again && <AskAgain intent={intent} />}
      <Again intent={intent} />
      <Receipt intent={intent} />
    </>
  );
}

const TITLES: Record<ShownIntent['status'] | 'withdrawn', string> = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
};

function How({ intent }: { intent: ShownIntent }) {
  if (intent.status === 'expired') {
    return (
      <p>
        Expired without a decision <RelativeTime at={intent.hashed.expires_at} />. Nothing will run.
      </p>
    );
  }
  const at = intent.resolved_at ?? intent.created_at;
  if (intent.withdrawn) {
    return (
      <p>
        <InertText text={nameOf(intent)} /> withdrew it <RelativeTime at={at} />. Nothing will run.
      </p>
    );
  }
  return (
    <>
      <p>
        <Badge tone={intent.status === 'approved' ? 'good' : 'bad'}>{intent.status}</Badge> by{' '}
        <InertText text={sayDecider(intent.resolved_by)} />, <RelativeTime at={at} />
        {intent.status === 'denied' && '. Nothing will run'}.
      </p>
      {intent.reason !== null && (
        <p>
          Reason: “<InertText text={intent.reason} fold={600} />”
        </p>
      )}
    </>
  );
}

/**
 * Saves the receipt as a file together with what was hashed, so that the file alone proves what was approved. It is
 * evidence and not a permit.
 */
function Receipt({ intent }: { intent: ShownIntent }) {
  const { receipt, id, hashed, canonical_params } = intent;
  if (!receipt) return null;
  const name = `receipt-${id}.json`;
  const save = () => {
    const url = URL.createObjectURL(
      new Blob([`${JSON.stringify({ receipt_v2: receipt, hashed, canonical_params }, null, 2)}\n`], {
        type: 'application/json',
      }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <section className="approve-receipt" aria-labelledby="receipt">
      <h3 id="receipt">Receipt</h3>
      <p className="soft small">
        Signed record of this approval
        {receipt.revocation_status !== 'active' && ` (${receipt.revocation_status})`}. It doesn’t authorise
        anything.
      </p>
      <Button icon="download" onClick={save}>
        Download receipt
      </Button>
      <CodeBlock
        title="Verify offline"
        code={`npx permitry receipt verify ${name} --approvers approver-keys.json`}
        wrap
      />
      <p className="soft small">
        approver-keys.json: ask each approver for their key file (Account → Security). Only passkey and
        device-key approvals can be verified this way.
      </p>
    </section>
  );
}

function Again({ intent }: { intent: ShownIntent }) {
  if (intent.asked_again_as !== null) {
    return (
      <p>
        Resubmitted: <Link to={`/approve/${intent.asked_again_as}`}>view the new request</Link>.
      </p>
    );
  }
  if (intent.status !== 'expired' || intent.can_ask_again || intent.erased_at !== null) return null;
  return (
    <p className="soft">
      Only the requester can resubmit this: <InertText text={nameOf(intent)} /> with its own key, or the
      person who owns it.
    </p>
  );
}
