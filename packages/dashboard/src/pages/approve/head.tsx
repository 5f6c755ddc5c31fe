import { Link } from 'react-router';
import { wayBack } from '../../app-shell/left-lists.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { nameOf } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { ModeBadge, RiskBadge, StatusBadge } from '../../ui/badge.tsx';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import * as words from './approve.words.ts';

/** The lines around the action, which is the title: the requester, the risk, and the time left to decide. */
export const Head = { Above, Lead };

function Above({ intent }: { intent: ShownIntent }) {
  const back = wayBack(intent.status === 'pending' ? '/inbox' : '/history');
  return (
    <div className="approve-above">
      <Link className="reachable" to={back.to} state={back.state}>
        ‹ {back.label}
      </Link>
      <span className="approve-project">
        <InertText text={intent.project.name} /> <ModeBadge mode={intent.project.mode} />
      </span>
    </div>
  );
}

function Lead({ intent }: { intent: ShownIntent }) {
  const isPending = intent.status === 'pending';
  return (
    <span className="approve-lead">
      <span className="approve-badges">
        <RiskBadge tier={intent.hashed.risk_tier} isRated={intent.risk_rated} />
        {intent.withdrawn ? <StatusBadge status="withdrawn" /> : <StatusBadge status={intent.status} />}
        {isPending && (
          <span className="approve-left">
            <Countdown until={intent.hashed.expires_at} announces />{' '}
            <span className="soft">{words.leftToDecide}</span>
          </span>
        )}
      </span>
      <span>
        {words.requestedThis(
          <b>
            <InertText text={nameOf(intent)} />
          </b>,
          <RelativeTime at={intent.created_at} />,
        )}
      </span>
    </span>
  );
}
