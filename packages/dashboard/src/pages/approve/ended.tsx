import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { nameOf } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { statuses } from './approve.words.ts';
import { AskAgain } from './ask-again.tsx';
import * as words from './ended.words.ts';
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
        {statuses[intent.withdrawn ? 'withdrawn' : intent.status]}
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

function How({ intent }: { intent: ShownIntent }) {
  if (intent.status === 'expired') {
    return <p>{words.expired(<RelativeTime at={intent.hashed.expires_at} />)}</p>;
  }
  const at = intent.resolved_at ?? intent.created_at;
  if (intent.withdrawn) {
    return <p>{words.withdrawn(<InertText text={nameOf(intent)} />, <RelativeTime at={at} />)}</p>;
  }
  const isApproved = intent.status === 'approved';
  return (
    <>
      <p>
        {(isApproved ? words.approvedBy : words.deniedBy)(
          <Badge tone={isApproved ? 'good' : 'bad'}>{intent.status}</Badge>,
          <InertText text={sayDecider(intent.resolved_by)} />,
          <RelativeTime at={at} />,
        )}
      </p>
      {intent.reason !== null && <p>{words.reason(<InertText text={intent.reason} fold={600} />)}</p>}
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
      <h3 id="receipt">{words.receipt.title}</h3>
      <p className="soft small">
        {receipt.revocation_status === 'active'
          ? words.receipt.about
          : words.receipt.aboutWith(receipt.revocation_status)}
      </p>
      <Button icon="download" onClick={save}>
        {words.receipt.download}
      </Button>
      <CodeBlock title={words.receipt.verifyOffline} code={words.receipt.command(name)} wrap />
      <p className="soft small">{words.receipt.approverKeys}</p>
    </section>
  );
}

function Again({ intent }: { intent: ShownIntent }) {
  if (intent.asked_again_as !== null) {
    return (
      <p>
        {words.resubmittedAs(<Link to={`/approve/${intent.asked_again_as}`}>{words.viewNewRequest}</Link>)}
      </p>
    );
  }
  if (intent.status !== 'expired' || intent.can_ask_again || intent.erased_at !== null) return null;
  return <p className="soft">{words.onlyRequesterResubmits(<InertText text={nameOf(intent)} />)}</p>;
}
