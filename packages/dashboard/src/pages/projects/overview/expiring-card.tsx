import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Countdown } from '../../../ui/time.tsx';
import type { Overview } from '../project-frame/wire.ts';
import * as words from './overview.words.ts';

/** The pending requests that expire soonest. */
export function ExpiringCard({ expiring }: { expiring: Overview['expiring'] }) {
  return (
    <Card title={words.expiring.title}>
      {expiring.data.length === 0 ? (
        <p className="soft">{words.expiring.none}</p>
      ) : (
        <ol className="overview-expiring">
          {expiring.data.map((intent) => (
            <li key={intent.id}>
              <Link to={`/approve/${intent.id}`}>
                <InertText text={intent.action} />
              </Link>
              <span className="row">
                {/* A low risk may mean that nobody rated it, so it is not shown. */}
                {intent.risk_tier !== 'low' && <RiskBadge tier={intent.risk_tier} />}
                {intent.approvals_required > 1 && (
                  <span className="soft small">
                    {words.approvals(intent.approvals_received, intent.approvals_required)}
                  </span>
                )}
                <Countdown until={intent.expires_at} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {!expiring.complete && <p className="soft small">{words.expiring.incomplete}</p>}
    </Card>
  );
}
