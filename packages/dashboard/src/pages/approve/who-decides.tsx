import type { ShownIntent } from '../../decide/check-hashes.ts';
import { sayNames } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { AskedOf } from '../inbox/asked-of.tsx';
import * as words from './approve.words.ts';
import { sayDecider } from './what-changed.ts';

/** Why the request needs approval, who has approved it, and who still can. */
export function WhoDecides({ intent }: { intent: ShownIntent }) {
  return (
    <Card title={words.approvals}>
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
    return <p>{words.noRule}</p>;
  }
  const name = (
    <b>
      “<InertText text={rule} />”
    </b>
  );
  return (
    <p>
      {intent.decision === 'require_approval' ? words.requiredByRule(name) : words.decidedByRule(name)}
      {reason !== null && (
        <>
          : <InertText text={reason} />
        </>
      )}
      .
    </p>
  );
}

function Slots({ intent }: { intent: ShownIntent }) {
  const { approvals_required: required, approvals_received: received } = intent;
  if (required === 0) return null;
  return (
    <p>
      {words.approvalsOf(
        <b className="tabular">{words.progressNumbers(received, required)}</b>,
        intent.proof.tier === 'none' ? undefined : words.proofRequired[intent.proof.tier],
      )}
    </p>
  );
}

function Votes({ intent }: { intent: ShownIntent }) {
  const isByPolicy = intent.resolved_by?.startsWith('policy:');
  if (intent.votes.length === 0 && !isByPolicy) return null;
  const decider = <InertText text={sayDecider(intent.resolved_by)} />;
  return (
    <ul className="list approve-votes">
      {isByPolicy && (
        <li>{intent.status === 'approved' ? words.approvedBy(decider) : words.deniedBy(decider)}</li>
      )}
      {intent.votes.map((vote) => (
        <li key={`${vote.by} ${vote.at}`}>
          <Badge tone={vote.decision === 'approve' ? 'good' : 'bad'}>
            {vote.decision === 'approve' ? words.approvedWord : words.deniedWord}
          </Badge>{' '}
          <InertText text={vote.by} /> {vote.mine && words.you}{' '}
          <span className="soft">
            <RelativeTime at={vote.at} />, {words.approvedWith[vote.method]}
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
      <h3>{words.stillNeeded}</h3>
      <ul className="list">
        {intent.missing.map(({ from, count, who, more }) => (
          <li key={from.join(' ')}>
            {words.approvalsFrom(count, <InertText text={sayNames(from)} />)}
            <span className="soft">
              {who.length === 0 ? (
                words.nobodyCan
              ) : (
                <>
                  : <InertText text={who.join(', ')} />
                  {more > 0 && words.andMore(more)}
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
