import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import type { ShownIntent } from './check-hashes.ts';
import { sayNames } from './sentences.ts';
import { sayDecider } from './what-changed.ts';

/** Why people are asked, who approved so far, and who still can. */
export function WhoDecides({ intent }: { intent: ShownIntent }) {
  return (
    <Card title="Who decides">
      <Why intent={intent} />
      {intent.policy.changed && (
        <Notice tone="warn">
          The policy changed since this was asked. What is shown below is what it asks for now, or what it
          asked for then, whichever is stricter.
        </Notice>
      )}
      <Places intent={intent} />
      <Votes intent={intent} />
      <Missing intent={intent} />
    </Card>
  );
}

function Why({ intent }: { intent: ShownIntent }) {
  const { rule, reason } = intent.policy;
  if (rule === null) {
    return <p>No policy rule speaks of this action, so a person decides.</p>;
  }
  return (
    <p>
      The rule{' '}
      <b>
        “<InertText text={rule} />”
      </b>{' '}
      {intent.decision === 'require_approval' ? 'asks for approval' : 'decided this at once'}
      {reason !== null && (
        <>
          : <InertText text={reason} />
        </>
      )}
      .
    </p>
  );
}

function Places({ intent }: { intent: ShownIntent }) {
  const { approvals_required: required, approvals_received: received } = intent;
  if (required === 0) return null;
  return (
    <p>
      <b className="tabular">
        {received} of {required}
      </b>{' '}
      {required === 1 ? 'approval' : 'approvals'}
      {intent.proof.tier !== 'none' && (
        <>
          , each with{' '}
          {intent.proof.tier === 'session'
            ? 'the person signed in'
            : `proof of presence: ${intent.proof.tier}`}
        </>
      )}
      . One denial denies.
    </p>
  );
}

function Votes({ intent }: { intent: ShownIntent }) {
  const isByPolicy = intent.resolved_by?.startsWith('policy:');
  if (intent.votes.length === 0 && !isByPolicy) return null;
  return (
    <ul className="list approve-votes">
      {isByPolicy && (
        <li>
          <InertText text={sayDecider(intent.resolved_by)} />{' '}
          {intent.status === 'approved' ? 'approved' : 'denied'} it.
        </li>
      )}
      {intent.votes.map((vote) => (
        <li key={`${vote.by} ${vote.at}`}>
          <Badge tone={vote.decision === 'approve' ? 'good' : 'bad'}>
            {vote.decision === 'approve' ? 'approved' : 'denied'}
          </Badge>{' '}
          <InertText text={vote.by} /> {vote.mine && '(you) '}
          <span className="soft">
            <RelativeTime at={vote.at} />, by {vote.method === 'device' ? 'device key' : vote.method}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Names of approvers and groups are chosen by people. */
function Missing({ intent }: { intent: ShownIntent }) {
  if (intent.missing.length === 0) return null;
  return (
    <>
      <h3>Still missing</h3>
      <ul className="list">
        {intent.missing.map(({ from, count, who, more }) => (
          <li key={from.join(' ')}>
            {count} from <InertText text={sayNames(from)} />
            <span className="soft">
              {who.length === 0 ? (
                ': nobody can give it at the moment'
              ) : (
                <>
                  : <InertText text={who.join(', ')} />
                  {more > 0 && ` and ${more} more`}
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
