import { Link } from 'react-router';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DateTime } from '../../ui/time.tsx';
import * as words from './approve.words.ts';

const EXPIRY_WORDS: Partial<Record<ShownIntent['status'], string>> = {
  pending: words.requesterExpires,
  expired: words.requesterExpired,
};

/** What the gate knows about the requester, and the request's times and IDs. */
export function WhoAsks({ intent }: { intent: ShownIntent }) {
  const { requester, hashed } = intent;
  return (
    <Card title={words.requester}>
      <dl className="facts">
        <dt>{requester.type === 'agent' ? words.requesterAgent : words.requesterKey}</dt>
        <dd>
          <InertText text={requester.display} />{' '}
          {requester.type === 'agent' && requester.agent && <StatusBadge status={requester.agent.status} />}
        </dd>
        {requester.type === 'key' && requester.agent && (
          <>
            <dt>{words.requesterOnBehalfOf}</dt>
            <dd>
              <InertText text={requester.agent.name} /> <StatusBadge status={requester.agent.status} />
            </dd>
          </>
        )}
        <dt>{words.requesterAuthenticatedWith}</dt>
        <dd>{requester.type === 'agent' ? words.requesterAgentKey : words.requesterSecretKey}</dd>
        <dt>{words.requesterType}</dt>
        <dd>{words.requesterTypes[hashed.source_type]}</dd>
        <dt>{words.requesterRequested}</dt>
        <dd>
          <DateTime at={intent.created_at} />
          {intent.asked_again_from !== null && (
            <>
              , <Link to={`/approve/${intent.asked_again_from}`}>{words.requesterResubmitted}</Link>
            </>
          )}
        </dd>
        <dt>{EXPIRY_WORDS[intent.status] ?? words.requesterExpiry}</dt>
        <dd>
          <DateTime at={hashed.expires_at} />
        </dd>
        <dt>{words.requesterPermit}</dt>
        <dd>{words.requesterPermitUse(intent.permit.lifetime_seconds)}</dd>
        <dt>{words.requesterId}</dt>
        <dd>
          <code>{intent.id}</code> <CopyButton text={intent.id} what={words.requesterIdWhat} />
        </dd>
      </dl>
    </Card>
  );
}
