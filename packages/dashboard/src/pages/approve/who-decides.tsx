import type { ShownIntent } from '../../decide/check-hashes.ts';
import { sayNames } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { AskedOf } from '../inbox/asked-of.tsx';
import { sayDecider } from './what-changed.ts';

/** Why the request needs approval, who has approved it, and who still can. */
export function WhoDecides({ intent }: { intent: ShownIntent }) {
  return (
    <Card title="Approvals">
      <Why intent={intent} />
      {intent.asked_of.length > 0 && (
        <p>
          <AskedOf names={intent.asked_of} />
        </p>
      )}
      <Slots intent={intent} />
      <Votes intent={intent} />
      <Missing intent={intent} />
    </Card>
  );
}

function Why({ intent }: { intent: ShownIntent }) {
  const { rule, reason } = intent.policy;
  if (rule === null) {
    return <p>No rule matches this action, so it needs review.</p>;
  }
  return (
    <p>
      The rule{' '}
      <b>
        “<InertText text={rule} />”
      </b>{' '}
      {intent.decision === 'require_approval' ? 'requires approval' : 'decided this'}
      {reason !== null && (
        <>
          : <InertText text={reason} />
        </>
      )}
      .
    </p>
  );
}

const PROOFS = {
  session: 'sign-in required',
  device: 'device key or passkey required',
  passkey: 'passkey required',
};

function Slots({ intent }: { intent: ShownIntent }) {
  const { approvals_required: required, approvals_received: received } = intent;
  if (required === 0) return null;
  return (
    <p>
      <b className="tabular">
        {received} of {required}
      </b>{' '}
      approvals{intent.proof.tier !== 'none' && ` · ${PROOFS[intent.proof.tier]}`}. One denial denies the
      request.
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

/** People choose the names of approvers and groups, so these are foreign text. */
function Missing({ intent }: { intent: ShownIntent }) {
  if (intent.missing.length === 0) return null;
  return (
    <>
      <h3>Still needed</h3>
      <ul className="list">
        {intent.missing.map(({ from, count, who, more }) => (
          <li key={from.join(' ')}>
            {count} from <InertText text={sayNames(from)} />
            <span className="soft">
              {who.length === 0 ? (
                ': no current member can give it'
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
